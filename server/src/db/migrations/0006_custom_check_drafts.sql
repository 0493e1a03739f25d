-- custom check drafts
select 1;
