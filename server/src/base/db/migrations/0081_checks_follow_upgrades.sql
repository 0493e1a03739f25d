-- Which edition of a check of the catalogue this is; 0: from before editions were counted, or not of the catalogue.
alter table checks add column edition integer not null default 0;

-- The revision of the query that an upgrade of Muster brought last, and when; null: none has changed it.
alter table check_configurations add column upgraded_query_revision bigint;
alter table check_configurations add column query_upgraded_at timestamptz(3);

-- What the device said before its first answer to that query; null where it had said nothing, or still has to answer.
alter table check_results add column status_before_upgrade text;
-- The version of osquery below which the answer cannot be believed, where that is why nothing is known.
alter table check_results add column needs_osquery text;
create index check_results_needing_osquery on check_results (organization_id, check_id) where needs_osquery is not null;

-- The revision of the query whose first answers wait under the hold; null where only many blocks at once do.
alter table block_holds add column upgraded_query_revision bigint;
