import type { Enrollment } from '../osquery-files.ts'
import { shellWord } from '../shell-text.ts'
import type { MacComponent } from './flat-package.ts'
import { launchDaemon, propertyList } from './launch-daemon.ts'
import { macHome, macLabel, macPlaces, macState } from './mac-places.ts'

type Script = MacComponent['scripts'][number]

export const authorityName = 'server-ca.pem'

/** What is this organization's: read by root alone, beside `postinstall` until that puts it where it belongs. */
export function macConfig({ baseUrl, caCertificate, secret }: Enrollment): Script[] {
  const fields = {
    server: baseUrl,
    enroll_secret_file: 'enroll_secret',
    ...(caCertificate !== null && { ca_file: authorityName }),
  }
  return [
    { path: 'companion.json', mode: 0o600, content: `${JSON.stringify(fields, null, 2)}\n` },
    { path: 'enroll_secret', mode: 0o600, content: secret },
    ...(caCertificate === null ? [] : [{ path: authorityName, mode: 0o600, content: caCertificate }]),
  ]
}

/** Where launchd finds programs of macOS; nothing else is to be found. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin'

const preamble = `set -eu
PATH=${systemPath}
say() { printf '%s\\n' "muster-companion: $*"; }
`

/**
 * newsyslog.conf(5): five files of 1 MB each, compressed. The companion ends when it is told, and launchd starts it with the new file.
 */
const rotation = `# logfilename mode count size when flags pid_file
${macPlaces.log} 640 5 1024 * Z ${macPlaces.processId}
`

// Node's own signature lets a library be put in by an environment: env -i leaves none.
const launcher = `#!/bin/sh
# run: what launchd starts. status: how the companion stands; it ends with 0 where it is linked and runs. selftest: what it finds on
# this Mac, as a table.
set -eu
PATH=${systemPath}
export PATH
companion() {
  exec env -i PATH="$PATH" HOME=/var/root ${macPlaces.node} ${macPlaces.program} "$@"
}
case "\${1:-}" in
  run)
    (umask 022 && echo $$ > ${macPlaces.processId})
    companion ${shellWord(`${macPlaces.config}/companion.json`)} ${shellWord(macState)}
    ;;
  status | selftest) companion "$1" ${shellWord(macState)} ;;
  *)
    echo 'usage: sudo ${macPlaces.command} status | selftest' >&2
    exit 64
    ;;
esac
`

const stop = `launchctl bootout system/${macLabel} 2>/dev/null || true`

const postinstall = `#!/bin/sh
# Muster companion: run as root once the program is in its place. It ends with 1 where the companion could not be started, so that the
# installation counts as failed.
${preamble}
if [ "\${3:-/}" != / ]; then
  say 'install it on the volume that this Mac has started from' >&2
  exit 1
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
state=${shellWord(macState)}
config=${shellWord(macPlaces.config)}
daemon=${macPlaces.daemon}

(umask 077 && mkdir -p "$state")
chmod 700 "$state"
rm -rf "$config"
(umask 077 && mkdir "$config")
for name in companion.json enroll_secret ${authorityName}; do
  if [ -e "$here/$name" ]; then install -m 600 "$here/$name" "$config/$name"; fi
done
# The key is this Mac's: a backup would bring it to another one.
tmutil addexclusion "$state" || say "Time Machine may back up $state: exclude it"

install -m 755 "$here/muster-companion" ${macPlaces.command}
install -m 755 "$here/uninstall.sh" ${macPlaces.uninstall}
mkdir -p /etc/newsyslog.d
install -m 644 "$here/newsyslog.conf" ${macPlaces.rotation}
install -m 644 "$here/launch-daemon.plist" "$daemon"

# launchd refuses what is loaded, for some seconds also after it was told to end.
${stop}
launchctl enable system/${macLabel}
tries=0
until launchctl bootstrap system "$daemon"; do
  tries=$((tries + 1))
  if [ "$tries" -ge 15 ]; then
    say 'launchd does not start it: see launchctl print system/${macLabel}' >&2
    exit 1
  fi
  sleep 1
done
say 'it runs; ${macPlaces.command} status shows how it stands'
`

const uninstall = `#!/bin/sh
# Takes the companion of Muster away, with its key. The device stays enrolled by its osquery.
${preamble}
if [ "$(id -u)" != 0 ]; then
  echo "Run it as root: sudo sh $0" >&2
  exit 1
fi
# Read to its end before it is removed.
remove() {
  ${stop}
  rm -f ${macPlaces.daemon} ${macPlaces.rotation} ${macPlaces.processId} ${macPlaces.log} ${macPlaces.log}.*
  rm -rf ${shellWord(macState)} /${macHome}
  pkgutil --forget ${macLabel} >/dev/null 2>&1 || true
  say 'it is removed'
  exit 0
}
remove
`

/** What starts the program and takes it away: the same for every organization. `postinstall` puts the rest where it belongs. */
export const macScripts: readonly Script[] = [
  { path: 'postinstall', mode: 0o755, content: postinstall },
  { path: 'launch-daemon.plist', mode: 0o644, content: propertyList(launchDaemon) },
  { path: 'newsyslog.conf', mode: 0o644, content: rotation },
  { path: 'muster-companion', mode: 0o755, content: launcher },
  { path: 'uninstall.sh', mode: 0o755, content: uninstall },
]
