-- What the small script for Macs fetches, by its hash: the program of each version that a copy of the script names, and Nodes that
-- have been replaced or removed since. Of the deployment, without a secret, and the same for every organization.
create table package_parts (
  -- In hexadecimal.
  sha256 text not null,
  number integer not null,
  bytes bytea not null,
  constraint package_parts_pkey primary key (sha256, number)
);
-- They are compressed already.
alter table package_parts alter column bytes set storage external;

-- The hashes that copies of the package name, of those that were downloaded with its present secret.
alter table packages add column fetches text[] not null default '{}';
