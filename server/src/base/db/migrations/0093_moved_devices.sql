-- Which devices a change has moved: by the cause of their change of state, and by the causes of changes that it was decided with.
create index events_moved_by_cause on events (organization_id, cause, id) where type = 'device_trust.status_changed';
create index events_moved_by_earlier_causes on events using gin ((data #> '{decidedFor,earlierCauses}') jsonb_path_ops)
  where type = 'device_trust.status_changed' and data #> '{decidedFor,earlierCauses}' is not null;
