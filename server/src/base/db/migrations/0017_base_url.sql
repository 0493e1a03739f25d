-- The address by which others know the service, for links in what is written without a request: null until it was served.
alter table installation add column base_url text;
