#!/usr/bin/env bash
# Two packages of Debian that meet on most desktops: augeas, by which osquery reads configuration files (its table `augeas`),
# cannot read a file that appstream puts into /etc/apt/apt.conf.d. apt reads it.
#
# Versions: augeas-tools, libaugeas0 and augeas-lenses 1.14.0-1+deb12u1, appstream 0.16.1-2+b1 (Debian 12, amd64).
# Expected: the lens AptConf reads every file that apt accepts, or skips what it does not know.
# Seen: `deb::DEP-11 { … }`, a name with :: that opens a block within a block, is a syntax error, and the whole file has no
# node. Whoever asks augeas whether a setting of apt is there must not take "no node" of that file for "not set".
# Where that matters: a check that finds no APT::Periodic has to know which files could be read.
#
# Needs Debian 12 on amd64 with its package lists (apt-get update). Exits with 1 once the file can be read.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q augeas-tools=1.14.0-1+deb12u1 libaugeas0=1.14.0-1+deb12u1 augeas-lenses=1.14.0-1+deb12u1 \
  appstream=0.16.1-2+b1 >/dev/null
for package in ./*.deb; do dpkg-deb -x "$package" root; done
file=etc/apt/apt.conf.d/50appstream

accepted=$(APT_CONFIG="root/$file" apt-config dump | grep -c 'Acquire::IndexTargets::deb::DEP-11::MetaKey' || true)
LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/augtool --root root --noload --noautoload \
  --include root/usr/share/augeas/lenses/dist >read <<COMMANDS
set /augeas/load/Apt/lens AptConf.lns
set /augeas/load/Apt/incl /$file
load
get /augeas/files/$file/error
get /augeas/files/$file/error/line
COMMANDS

echo "apt takes the block: $accepted setting of it"
echo "augeas:"
cat read
sed -n '4,7p' "root/$file"
[ "$accepted" -gt 0 ] && grep -q 'parse_failed' read
