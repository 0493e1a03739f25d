-- reporting
select 1;
