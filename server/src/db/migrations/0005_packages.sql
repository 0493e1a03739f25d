-- packages
select 1;
