import { type LinuxPackage, type Payload, scriptFolder } from './linux-package.ts'
import { exitWithoutNode, type LaunchedProgram, nodeLauncher } from './node-launcher.ts'
import type { Enrollment } from './osquery-files.ts'
import type { PackagedNode } from './runtimes/packaged-node.ts'
import { runtimeGlibc } from './runtimes/system-rules.ts'
import { serviceHardening } from './service-hardening.ts'

type Launched = Pick<LinuxPackage, 'name' | 'summary' | 'rival' | 'relations' | 'waitsFor' | 'leaves'> & LaunchedProgram

export type LinuxService = Launched & {
  /** As systemd shows it. */
  description: string
  /** Of the file in `/etc/<name>` that the program reads. */
  configName: string
  /** The service starts after this one; empty where there is none. */
  startsAfter: string
  /** Files of which one has to be there for the service to start; none where it needs nothing. */
  needsOneOf: readonly string[]
  /** What a person does where none of them is there. */
  otherwise: string
}

/** What a service is installed with: its program, and the Node that it runs on unless the device has one. */
export type ServiceParts = { payload: Payload; architecture: string; node: PackagedNode | undefined }

/** What Debian calls the libraries that a Node is linked with. */
const dependsOf = ({ needsLibatomic }: PackagedNode): string =>
  `libc6 (>= ${runtimeGlibc}), libgcc-s1 | libgcc1, libstdc++6${needsLibatomic ? ', libatomic1' : ''}`

/** A program of the agent's workspace as a service. */
export function serviceOnLinux(
  service: LinuxService,
  version: string,
  { baseUrl, caCertificate, secret }: Enrollment,
  { payload, architecture, node }: ServiceParts,
): LinuxPackage {
  const { name, summary, rival, relations, waitsFor, leaves } = service
  const fields = {
    server: baseUrl,
    enroll_secret_file: 'enroll_secret',
    ...(caCertificate !== null && { ca_file: 'server-ca.pem' }),
  }
  const script = (file: string, content: string) => ({ path: `${scriptFolder(name)}/${file}`, mode: 0o755, content })
  return {
    ...{ name, version, architecture, summary, rival, waitsFor, payload },
    relations: { ...(node && { Depends: dependsOf(node) }), ...relations },
    files: [
      { path: configOf(service).slice(1), mode: 0o644, content: `${JSON.stringify(fields, null, 2)}\n` },
      ...(caCertificate === null ? [] : [{ path: `etc/${name}/server-ca.pem`, mode: 0o644, content: caCertificate }]),
      { path: `etc/${name}/enroll_secret`, mode: 0o600, content: secret },
      script('activate', activate(service, architecture)),
      script('deactivate', deactivate(service)),
      script(name, nodeLauncher(name, service)),
      { path: `usr/lib/systemd/system/${name}.service`, mode: 0o644, content: unit(service) },
    ],
    leaves: [`/var/lib/${name}`, `/var/cache/${name}`, ...leaves],
  }
}

const configOf = ({ name, configName }: LinuxService): string => `/etc/${name}/${configName}`

const commandOf = (service: LinuxService): string =>
  `/${scriptFolder(service.name)}/${service.name} ${configOf(service)}`

// systemd takes one of several conditions with a bar in front for enough.
const unit = (service: LinuxService): string => `[Unit]
Description=${service.description}
Wants=network-online.target
After=${['network-online.target', service.startsAfter].join(' ').trimEnd()}
${service.needsOneOf.map((path) => `ConditionPathExists=|${path}\n`).join('')}
[Service]
ExecStart=${commandOf(service)}
StateDirectory=${service.name}
StateDirectoryMode=0700
CacheDirectory=${service.name}
CacheDirectoryMode=0700
Environment=NODE_COMPILE_CACHE=/var/cache/${service.name}
Restart=always
RestartSec=10
RestartPreventExitStatus=${exitWithoutNode}
${serviceHardening}
[Install]
WantedBy=multi-user.target
`

const preamble = ({ name }: LinuxService): string => `#!/bin/sh
set -eu
root=\${DPKG_ROOT:-\${DESTDIR:-}}
say() { echo "${name}: $*"; }
`

const nodeOf = ({ name }: LinuxService): string => `/${scriptFolder(name)}/bin/node`

const activate = (service: LinuxService, architecture: string): string => `${preamble(service)}
if [ -n "$root" ]; then
  say "placed below $root; nothing was started"
elif [ -x ${nodeOf(service)} ] && ! ${nodeOf(service)} --version >/dev/null; then
  say 'its Node does not run on this computer, for the reason above: it is for ${architecture} and needs glibc ${runtimeGlibc} or later'
  say 'nothing was started: once that is mended, run /${scriptFolder(service.name)}/activate'
elif [ ! -d /run/systemd/system ]; then
  say 'systemd does not run here: keep this running as root: ${commandOf(service)}'
elif systemctl daemon-reload && systemctl enable ${service.name}.service && systemctl restart ${service.name}.service; then
  ${sayStarted(service)}
else
  say 'the service could not be started: see systemctl status ${service.name}'
fi
`

function sayStarted({ needsOneOf, otherwise }: LinuxService): string {
  const isRunning = `say 'the service is enabled and running'`
  if (needsOneOf.length === 0) return isRunning
  const isThere = needsOneOf.map((path) => `[ -e ${path} ]`).join(' || ')
  return `if ${isThere}; then
    ${isRunning}
  else
    say '${otherwise}'
  fi`
}

const deactivate = (service: LinuxService): string => `${preamble(service)}
if [ -z "$root" ] && [ -d /run/systemd/system ]; then
  systemctl disable --now ${service.name}.service || true
fi
`
