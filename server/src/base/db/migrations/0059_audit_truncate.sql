-- The guard of the audit log is for each row, and TRUNCATE has none.
create trigger audit_logs_no_truncate before truncate on audit_logs for each statement execute function refuse_audit_change();
