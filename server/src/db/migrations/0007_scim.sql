-- scim
select 1;
