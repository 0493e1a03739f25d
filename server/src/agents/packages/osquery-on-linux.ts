import { agentRuntime, runtimeDepends } from './agent-runtime.ts'
import {
  companionCommand,
  companionFiles,
  companionLeaves,
  startCompanion,
  stopCompanion,
} from './companion-service.ts'
import { type LinuxPackage, type Payload, scriptFolder } from './linux-package.ts'
import { activateOsquery, deactivateOsquery, type OsqueryPlace } from './osquery-activation.ts'
import { type Enrollment, osqueryFiles } from './osquery-files.ts'

const name = 'muster-osquery'
const osqueryd = '/opt/osquery/bin/osqueryd'
const folder = `/etc/${name}`

const place: OsqueryPlace = {
  name,
  configFolder: folder,
  flagFile: '/etc/osquery/osquery.flags',
  isInstalled: `{ [ -x ${osqueryd} ] || command -v osqueryd >/dev/null 2>&1; }`,
  restart: `if [ ! -d /run/systemd/system ]; then
    say 'systemd does not run here: restart osqueryd by hand, and keep this running as root:'
    say '${companionCommand(name, scriptFolder(name))}'
  elif systemctl enable osqueryd.service && systemctl restart osqueryd.service; then
    say 'osqueryd is enabled and restarted'
    ${startCompanion}
  else
    say 'osqueryd could not be started: see systemctl status osqueryd'
  fi`,
  restartIfRunning: `if [ -d /run/systemd/system ]; then systemctl try-restart osqueryd.service || true; fi`,
  afterwards: `then run /${scriptFolder(name)}/activate`,
}

const script = (text: string): string => `#!/bin/sh\nset -eu\n${text}`

/** The configuration of an osquery that is installed from elsewhere, before or after, and the companion beside it. */
export function osqueryOnLinux(version: string, enrollment: Enrollment, payload: Payload): LinuxPackage {
  const config = osqueryFiles(enrollment, (file) => `${folder}/${file}`)
  return {
    name,
    version,
    architecture: agentRuntime()?.architecture ?? 'all',
    depends: runtimeDepends(),
    summary: 'configuration of osquery for Muster, and its companion',
    files: [
      ...config.map((file) => ({
        path: `etc/${name}/${file.name}`,
        mode: file.isSecret ? 0o600 : 0o644,
        content: file.content,
      })),
      { path: `${scriptFolder(name)}/activate`, mode: 0o755, content: script(activateOsquery(place)) },
      {
        path: `${scriptFolder(name)}/deactivate`,
        mode: 0o755,
        content: script(stopCompanion + deactivateOsquery(place)),
      },
      ...companionFiles(name, scriptFolder(name), enrollment),
    ],
    payload,
    waitsFor: [osqueryd],
    leaves: companionLeaves,
  }
}
