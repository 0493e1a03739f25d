import { type LinuxPackage, scriptFolder } from './linux-package.ts'
import { activateOsquery, deactivateOsquery, type OsqueryPlace } from './osquery-activation.ts'
import { type Enrollment, osqueryFiles } from './osquery-files.ts'

const name = 'muster-osquery'
const folder = `/etc/${name}`

/** What the package of stock osquery installs. */
export const stockOsqueryd = '/opt/osquery/bin/osqueryd'

const place: OsqueryPlace = {
  name,
  configFolder: folder,
  flagFile: '/etc/osquery/osquery.flags',
  isInstalled: `{ [ -x ${stockOsqueryd} ] || command -v osqueryd >/dev/null 2>&1; }`,
  restart: `if [ ! -d /run/systemd/system ]; then
    say 'systemd does not run here: restart osqueryd by hand'
  elif systemctl enable osqueryd.service && systemctl restart osqueryd.service; then
    say 'osqueryd is enabled and restarted'
  else
    say 'osqueryd could not be started: see systemctl status osqueryd'
  fi`,
  restartIfRunning: `if [ -d /run/systemd/system ]; then systemctl try-restart osqueryd.service || true; fi`,
  afterwards: `then run /${scriptFolder(name)}/activate`,
}

const companion = 'muster-companion'

const mentionCompanion = `if [ ! -d "$root/${scriptFolder(companion)}" ]; then
  say 'the companion, which proves at sign-ins which device this is, is a package of its own: ${companion}'
fi
# Earlier packages of this name had the companion, whose service outlives its program.
if [ -z "$root" ] && [ -d /run/systemd/system ] &&
  systemctl show --property=ExecStart ${companion}.service | grep -q /${scriptFolder(name)}/${companion}; then
  systemctl disable --now ${companion}.service || true
fi
`

const script = (text: string): string => `#!/bin/sh\nset -eu\n${text}`

/** The configuration of an osquery that is installed from elsewhere, before or after. */
export function osqueryOnLinux(version: string, enrollment: Enrollment): LinuxPackage {
  const config = osqueryFiles(enrollment, (file) => `${folder}/${file}`)
  return {
    name,
    version,
    architecture: 'all',
    rival: undefined,
    relations: { Recommends: companion },
    summary: 'configuration of osquery for Muster',
    files: [
      ...config.map((file) => ({
        path: `etc/${name}/${file.name}`,
        mode: file.isSecret ? 0o600 : 0o644,
        content: file.content,
      })),
      {
        path: `${scriptFolder(name)}/activate`,
        mode: 0o755,
        content: script(activateOsquery(place) + mentionCompanion),
      },
      { path: `${scriptFolder(name)}/deactivate`, mode: 0o755, content: script(deactivateOsquery(place)) },
    ],
    payload: undefined,
    waitsFor: [stockOsqueryd],
    leaves: [],
  }
}
