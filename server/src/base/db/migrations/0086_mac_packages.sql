-- The companion for the Mac is an installer package.
alter table packages
  drop constraint packages_format_check,
  add constraint packages_format_check check (format in ('deb', 'tar.gz', 'pkg', 'sh', 'ps1'));

-- What an executable for the Mac says it runs on, such as 13.5. Null of others, and of one that was added before this was read.
alter table package_runtimes add column lowest_macos text;
