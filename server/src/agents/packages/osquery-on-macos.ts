import { activateOsquery, type OsqueryPlace } from './osquery-activation.ts'
import { type Enrollment, osqueryFiles } from './osquery-files.ts'
import { shellWord } from './shell-text.ts'

const folder = '/private/var/osquery/muster'

const place: OsqueryPlace = {
  name: 'muster-osquery',
  configFolder: folder,
  flagFile: '/private/var/osquery/osquery.flags',
  isInstalled: 'command -v osqueryctl >/dev/null 2>&1',
  restart: `osqueryctl start || true
  if osqueryctl restart; then say 'osqueryd runs'; else say 'osqueryd could not be started: see osqueryctl status'; fi`,
  restartIfRunning: 'osqueryctl restart || true',
  afterwards: 'then run this script again.',
}

/** A script for root that configures an installed osquery and starts it. */
export function osqueryOnMacos(version: string, enrollment: Enrollment): string {
  const files = osqueryFiles(enrollment, (name) => `${folder}/${name}`)
  const writes = files.map(({ name, isSecret, content }) => {
    const mask = isSecret ? '077' : '022'
    return `rm -f "$folder"/${name}
(umask ${mask} && printf %s ${shellWord(content)} > "$folder"/${name})`
  })
  return `#!/bin/sh
# Muster ${version}: configures osquery so that this Mac enrolls at ${enrollment.baseUrl}
# Run it as root: sudo sh <this file>. It contains an enrollment secret: anyone who reads it can enroll a device.
set -eu
if [ -z "\${DESTDIR:-}" ] && [ "$(id -u)" != 0 ]; then
  echo 'Run it as root: sudo sh '"$0" >&2
  exit 1
fi
PATH=/usr/local/bin:$PATH
folder=\${DESTDIR:-}${shellWord(folder)}
(umask 022 && mkdir -p "$folder")
${writes.join('\n')}
${activateOsquery(place)}`
}
