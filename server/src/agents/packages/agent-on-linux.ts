import { agentRuntime, runtimeDepends } from './agent-runtime.ts'
import { type LinuxPackage, type Payload, scriptFolder } from './linux-package.ts'
import { exitWithoutNode, nodeLauncher } from './node-launcher.ts'
import type { Enrollment } from './osquery-files.ts'
import { serviceHardening } from './service-hardening.ts'

const name = 'muster-agent'
const home = `/${scriptFolder(name)}`
const config = `/etc/${name}/agent.json`

const unit = `[Unit]
Description=Muster agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=${home}/${name} ${config}
StateDirectory=${name}
StateDirectoryMode=0700
CacheDirectory=${name}
CacheDirectoryMode=0700
Environment=NODE_COMPILE_CACHE=/var/cache/${name}
Restart=always
RestartSec=10
RestartPreventExitStatus=${exitWithoutNode}
${serviceHardening}
[Install]
WantedBy=multi-user.target
`

const preamble = `#!/bin/sh
set -eu
root=\${DPKG_ROOT:-\${DESTDIR:-}}
say() { echo "${name}: $*"; }
`

const activate = `${preamble}
if [ -n "$root" ]; then
  say "placed below $root; nothing was started"
elif [ ! -d /run/systemd/system ]; then
  say 'systemd does not run here: keep this running as root: ${home}/${name} ${config}'
elif systemctl daemon-reload && systemctl enable ${name}.service && systemctl restart ${name}.service; then
  say 'the service is enabled and running'
else
  say 'the service could not be started: see systemctl status ${name}'
fi
`

const deactivate = `${preamble}
if [ -z "$root" ] && [ -d /run/systemd/system ]; then
  systemctl disable --now ${name}.service || true
fi
`

/** The bundled agent as a service, with the Node that it runs on where this server's runs elsewhere. */
export function agentOnLinux(version: string, enrollment: Enrollment, payload: Payload): LinuxPackage {
  const { baseUrl, caCertificate, secret } = enrollment
  const runtime = agentRuntime()
  const fields = {
    server: baseUrl,
    enroll_secret_file: 'enroll_secret',
    ...(caCertificate !== null && { ca_file: 'server-ca.pem' }),
  }
  const script = (file: string, content: string) => ({ path: `${scriptFolder(name)}/${file}`, mode: 0o755, content })
  return {
    name,
    version,
    architecture: runtime?.architecture ?? 'all',
    depends: runtimeDepends(),
    summary: 'agent of Muster, a stand-in for osquery',
    files: [
      { path: config.slice(1), mode: 0o644, content: `${JSON.stringify(fields, null, 2)}\n` },
      ...(caCertificate === null ? [] : [{ path: `etc/${name}/server-ca.pem`, mode: 0o644, content: caCertificate }]),
      { path: `etc/${name}/enroll_secret`, mode: 0o600, content: secret },
      script('activate', activate),
      script('deactivate', deactivate),
      script(name, nodeLauncher(name, 'run-installed-agent.ts')),
      { path: `usr/lib/systemd/system/${name}.service`, mode: 0o644, content: unit },
    ],
    payload,
    waitsFor: [],
    leaves: [`/var/lib/${name}`, `/var/cache/${name}`, '/var/lib/muster-companion/link'],
  }
}
