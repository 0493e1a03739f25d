-- Where a caller publishes the keys that sign its requests (RFC 7517 §5). They are read there again and again.
alter table signin_connections add column request_keys_url text;
