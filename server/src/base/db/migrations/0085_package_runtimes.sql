-- The Node that packages for other systems bring along. Of the deployment, and the same for every organization.
create table package_runtimes (
  system text not null
    constraint package_runtimes_system_check
      check (system in ('linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win-x64', 'win-arm64')),
  node_version text not null,
  source text not null constraint package_runtimes_source_check check (source in ('npm', 'file')),
  -- Of the executable, in hexadecimal.
  sha256 text not null,
  md5 text not null,
  size integer not null,
  needs_libatomic boolean not null,
  license text,
  -- Of the executable as gzip, which the pieces are of.
  packed_sha256 text not null,
  packed_size integer not null,
  added_at timestamptz(3) not null,
  constraint package_runtimes_pkey primary key (system)
);

create table package_runtime_pieces (
  system text not null
    constraint package_runtime_pieces_runtime_fkey references package_runtimes (system) on delete cascade,
  number integer not null,
  bytes bytea not null,
  constraint package_runtime_pieces_pkey primary key (system, number)
);
-- They are compressed already.
alter table package_runtime_pieces alter column bytes set storage external;

-- Which processor a package is for, and which Node it brings: one of those above, or with no hash the server's own. A start sets
-- them for the packages that are there, and a server of the earlier version makes some without during an upgrade.
alter table packages
  add column architecture text not null default 'any'
    constraint packages_architecture_check check (architecture in ('any', 'x64', 'arm64')),
  add column node_version text,
  add column node_sha256 text,
  drop constraint packages_kind_key,
  add constraint packages_kind_key unique (organization_id, agent, platform, format, architecture);
