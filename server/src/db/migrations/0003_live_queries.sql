-- live queries
select 1;
