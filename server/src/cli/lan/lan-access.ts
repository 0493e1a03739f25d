import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { osqueryFlags } from '../../agents/packages/osquery-flags.ts'
import { systemClock } from '../../base/clock.ts'
import type { Config } from '../../base/config/load-config.ts'
import { openLanCertificate } from './lan-certificate.ts'
import { findLanNames, lanHost } from './lan-names.ts'

export type LanAccess = {
  /** Settings that make the server listen on the network, over TLS. */
  settings: Record<string, string>
  /** The authority that agents and curl trust. */
  caFile: string
  /** What a person does so that a laptop joins. */
  instructions: (enrollSecret: string | undefined) => string[]
}

/** Makes what a trial needs to be reached from other machines; settings of the environment win. */
export async function openLanAccess(config: Config, env: NodeJS.ProcessEnv): Promise<LanAccess> {
  const names = findLanNames()
  const { certFile, keyFile, caFile } = await openLanCertificate(config.dataDir, names, systemClock())
  const host = lanHost(names)
  const port = String(config.port)
  const flagFile = join(config.dataDir, 'osquery.flags')
  const onLaptops = { caFile: '/etc/osquery/server-ca.pem', enrollSecretFile: '/etc/osquery/enroll_secret' }
  const flags = osqueryFlags({ authority: `${host}:${port}`, ...onLaptops })
  await writeFile(flagFile, flags)
  const settings = {
    HOST: env['HOST'] ?? '0.0.0.0',
    MUSTER_TLS_CERT_FILE: certFile,
    MUSTER_TLS_KEY_FILE: keyFile,
    MUSTER_TLS_CA_FILE: caFile,
    MUSTER_BASE_URL: env['MUSTER_BASE_URL'] ?? `https://${host}:${port}`,
  }
  return {
    settings,
    caFile,
    instructions: (enrollSecret) => [
      'A laptop with osquery on Linux joins with three files in /etc/osquery:',
      `  osquery.flags   a copy of ${flagFile}`,
      `  server-ca.pem   a copy of ${caFile}`,
      `  enroll_secret   holding ${enrollSecret ?? 'what npx muster enrollment-secrets create prints'}`,
      'and a restart of osqueryd. macOS reads /var/osquery, Windows C:\\Program Files\\osquery: change the two paths in',
      'osquery.flags there. Whoever holds the secret can enroll a device.',
      '',
      'The flags:',
      ...flags.trimEnd().split('\n'),
    ],
  }
}
