-- requests
select 1;
