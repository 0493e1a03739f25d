#!/bin/sh
# Commands of Muster with the settings of the services. Root runs them as the services' user.
set -eu
settings=/etc/muster/muster.env
set -- --env-file-if-exists="$settings" /opt/muster/server/bin/muster.js "$@"
export MUSTER_DATA_DIR="${MUSTER_DATA_DIR:-/var/lib/muster}"
if [ "$(id -u)" = 0 ]; then exec setpriv --reuid=muster --regid=muster --init-groups /opt/muster/bin/node "$@"; fi
exec /opt/muster/bin/node "$@"
