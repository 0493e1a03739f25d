-- auth logs
select 1;
