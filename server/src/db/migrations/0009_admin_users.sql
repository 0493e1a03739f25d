-- admin users
select 1;
