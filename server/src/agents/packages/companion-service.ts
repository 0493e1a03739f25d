import { exitWithoutNode, nodeLauncher } from './node-launcher.ts'
import type { Enrollment } from './osquery-files.ts'
import { serviceHardening } from './service-hardening.ts'
import type { TreeFile } from './tar-gz.ts'

const name = 'muster-companion'

/** Of the companion beside stock osquery: what it makes on the device. */
export const companionLeaves: readonly string[] = [`/var/lib/${name}`, `/var/cache/${name}`]

const unit = (home: string, config: string): string => `[Unit]
Description=Muster companion of osquery
Wants=network-online.target
After=network-online.target osqueryd.service
# One of them; osquery may be installed later.
ConditionPathExists=|/usr/bin/osqueryi
ConditionPathExists=|/opt/osquery/bin/osqueryi
ConditionPathExists=|/usr/local/bin/osqueryi

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

/** The files of the companion in the osquery package `packageName`, whose secret it enrolls with. */
export function companionFiles(
  packageName: string,
  home: string,
  { baseUrl, caCertificate }: Pick<Enrollment, 'baseUrl' | 'caCertificate'>,
): TreeFile[] {
  const fields = {
    server: baseUrl,
    enroll_secret_file: 'enroll_secret',
    ...(caCertificate !== null && { ca_file: 'server-ca.pem' }),
  }
  const config = `etc/${packageName}/companion.json`
  return [
    { path: config, mode: 0o644, content: `${JSON.stringify(fields, null, 2)}\n` },
    { path: `${home}/${name}`, mode: 0o755, content: nodeLauncher(name, 'companion/companion-program.ts') },
    { path: `usr/lib/systemd/system/${name}.service`, mode: 0o644, content: unit(`/${home}`, `/${config}`) },
  ]
}

/** Shell text, where systemd runs; `say` tells the person who installs. */
export const startCompanion = `if systemctl daemon-reload && systemctl enable ${name}.service && systemctl restart ${name}.service; then
    say 'the companion is enabled and running'
  else
    say 'the companion could not be started: see systemctl status ${name}'
  fi`

/** Shell text that ends it for good, where it runs. */
export const stopCompanion = `if [ -z "\${DPKG_ROOT:-}\${DESTDIR:-}" ] && [ -d /run/systemd/system ]; then
  systemctl disable --now ${name}.service || true
fi
`

/** The command for a system without systemd. */
export const companionCommand = (packageName: string, home: string): string =>
  `/${home}/${name} /etc/${packageName}/companion.json`
