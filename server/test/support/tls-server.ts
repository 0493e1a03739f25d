import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'
import { generateKey } from '../../src/base/secrets/token-format.ts'
import type { TestDatabase } from './database.ts'
import { freePort, type Hooks, type MusterPlace, type MusterProcess, openPlace } from './muster-process.ts'
import { openPostgresPlace } from './postgres-place.ts'
import { authorityOfReceivers } from './receivers.ts'

export type TlsServer = {
  readonly place: MusterPlace
  readonly server: MusterProcess
  /** Its base address, which is where it listens. */
  readonly origin: string
  /** With every permission. */
  readonly key: string
  /** Devices that enroll with it belong to `person`. */
  readonly enrollSecret: string
  readonly person: string
}

/**
 * A server process that speaks TLS as in production and pushes to the receivers of the tests, on PostgreSQL where a
 * database is given; `own` are further settings of it. From then on this process trusts its certificate.
 */
export async function openTlsServer(
  hooks: Hooks,
  database: TestDatabase | undefined,
  own: Record<string, string> = {},
): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-tls-'))
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const identity = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  setDefaultCACertificates([...getCACertificates('default'), identity.cert])
  const [key, enrollSecret, person] = [generateKey(), randomBytes(24).toString('base64url'), 'ada@acme.example']
  const port = await freePort()
  const origin = `https://localhost:${port}`
  const settings = {
    PORT: String(port),
    MUSTER_BASE_URL: origin,
    MUSTER_TLS_CERT_FILE: file('server.crt', identity.cert),
    MUSTER_TLS_KEY_FILE: file('server.key', identity.private),
    // Packages bring it along.
    MUSTER_TLS_CA_FILE: file('authority.crt', identity.cert),
    NODE_EXTRA_CA_CERTS: file('receivers.crt', authorityOfReceivers),
    MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true',
    MUSTER_RATE_LIMIT_PER_MINUTE: '100000',
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme',
    MUSTER_BOOTSTRAP_API_KEY: key,
    MUSTER_BOOTSTRAP_ENROLL_SECRET: enrollSecret,
    MUSTER_BOOTSTRAP_PERSON_EMAIL: person,
    ...own,
  }
  const place = database ? openPostgresPlace(hooks, database, settings) : openPlace(hooks, settings)
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const server = await place.start(['serve'], { MUSTER_TLS_CERT_FILE: settings.MUSTER_TLS_CERT_FILE })
  return { place, server, origin, key, enrollSecret, person }
}
