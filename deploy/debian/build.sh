#!/bin/sh
# deploy/debian/build.sh RELEASE PACKAGE.deb
# Makes the package of what deploy/release/make-release.ts made. Nothing of debhelper is needed: it has neither libraries nor
# anything to compile.
set -eu
release=$1
package=$2
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=$("$release/bin/node" --print "require(process.argv[1]).version" "$(realpath "$release/server/package.json")")

mkdir -p "$folder/DEBIAN" "$folder/opt/muster" "$folder/usr/bin" "$folder/usr/lib/systemd/system"
cp -a "$release/." "$folder/opt/muster"
install -m 755 "$here/muster.sh" "$folder/usr/bin/muster"
install -m 644 "$here/muster-server.service" "$here/muster-worker.service" "$folder/usr/lib/systemd/system"
install -D -m 644 "$here/muster.env" "$folder/usr/share/muster/muster.env"
install -D -m 644 "$here/copyright" "$folder/usr/share/doc/muster/copyright"
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$folder/DEBIAN/$script"; done
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$(dpkg --print-architecture)/" \
  -e "s/@SIZE@/$(du -sk --apparent-size "$folder" | cut -f 1)/" "$here/control" >"$folder/DEBIAN/control"
chmod -R u=rwX,go=rX "$folder"
dpkg-deb --root-owner-group --build "$folder" "$package"
