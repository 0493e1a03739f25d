-- Whose account a failed try was for, so that all failures at an account can be forgotten; null for those of a network.
alter table sign_in_throttles add column account_hash bytea;
create index sign_in_throttles_account_hash on sign_in_throttles (account_hash);
