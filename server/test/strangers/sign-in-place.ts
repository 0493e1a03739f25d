import { randomBytes } from 'node:crypto'
import { after, before } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createEnrollmentSecret } from '../../src/agents/protocol/create-enrollment-secret.ts'
import { type Agents, startAgents } from '../../src/agents/protocol/start-agents.ts'
import { buildApp } from '../../src/app.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import { openSecrets } from '../../src/base/secrets/secrets.ts'
import { plusMs } from '../../src/base/time.ts'
import { isDatabaseUnavailable } from '../../src/http/database-unavailable.ts'
import { changeConnection } from '../../src/sign-in/connections/change-connection.ts'
import { createConnection, type NewConnection } from '../../src/sign-in/connections/create-connection.ts'
import type { FetchDocument } from '../../src/sign-in/entra/tenant-keys.ts'
import { createUpstream, type NewUpstream } from '../../src/sign-in/upstreams/create-upstream.ts'
import type { UpstreamMetadata } from '../../src/sign-in/upstreams/read-metadata.ts'
import { testDatabase } from '../support/database.ts'
import { makeIn } from '../support/make.ts'
import { freePort } from '../support/muster-process.ts'
import { type Laptop, openLaptop } from './laptop.ts'

export type SignInPlace = ReturnType<typeof signInPlace>
export type Tenant = SignInPlace['tenant']

type Opened = { app: FastifyInstance; agents: Agents; organizationId: string; origin: string; listenOrigin: string }

/** Two machines never have the same time: this one is a fraction of a second behind those that call it. */
const clock: Clock = () => plusMs(systemClock(), -300)

type PlaceSetting = { isBehindProxy?: boolean; fetchFromEntra?: FetchDocument }

/**
 * The whole server by a clock of its own at a loopback address that browsers reach, and laptops with real companions. Call
 * it at the top level. Behind a proxy its base address is another port, and it believes what the proxy forwards.
 */
export function signInPlace({ isBehindProxy = false, fetchFromEntra }: PlaceSetting = {}) {
  const secrets = openSecrets(randomBytes(32))
  const laptops: Laptop[] = []
  let opened: Opened | undefined
  const current = (): Opened => {
    if (!opened) throw new Error('The server starts in a before hook: use it in tests and later hooks only')
    return opened
  }
  // Hooks run in the order in which they are registered, and the database must outlive the server.
  after(async () => {
    await Promise.all(laptops.map((laptop) => laptop.stop()))
    await opened?.app.close()
    await opened?.agents.stop()
  })
  const database = testDatabase()
  const make = makeIn(database)
  const opening = database.ready.then(async () => {
    opened = await open()
  })
  before(() => opening)

  async function open(): Promise<Opened> {
    const { connection } = database
    const listenPort = await freePort()
    const publicPort = isBehindProxy ? await freePort() : listenPort
    const origin = `http://127.0.0.1:${publicPort}`
    const settings = {
      ...{ MUSTER_BASE_URL: origin, LOG_LEVEL: 'silent', MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' },
      MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1',
    }
    const config = loadConfig({ ...settings, ...(isBehindProxy && { MUSTER_TRUST_PROXY: '127.0.0.1' }) })
    const log = createLogger('silent')
    const parts = { secrets, clock, log }
    const agents = await startAgents({ ...parts, db: connection.db, isTrial: true, isDatabaseUnavailable })
    const app = buildApp({
      ...parts,
      config,
      connection,
      agents: agents.context,
      ...(fetchFromEntra && { fetchFromEntra }),
    })
    const listenOrigin = await app.listen({ host: '127.0.0.1', port: listenPort })
    const { id: organizationId } = await make.organization({ name: 'Acme' })
    return { app, agents, organizationId, origin, listenOrigin }
  }

  /** What an organization at this address has. */
  function tenantAt(organizationId: string, origin: string) {
    const change = () => systemChange(organizationId, clock())
    return {
      organizationId,
      /** What browsers, applications and companions call it. */
      origin,
      issuer: `${origin}/signin/oidc`,
      addConnection: (connection: NewConnection) =>
        transact(database.db, (tx) => createConnection(tx, secrets, { mode: 'enforce', ...connection }, change())),
      addUpstream: (upstream: NewUpstream & { metadata: UpstreamMetadata }) =>
        transact(database.db, (tx) => createUpstream(tx, secrets, upstream, change())),
      setMode: (id: string, mode: 'enforce' | 'observe' | 'disabled') =>
        transact(database.db, (tx) => changeConnection(tx, { id, mode }, change())),
      /** A laptop whose companion is linked; registered to the person, if one is given. */
      async addLaptop({ hostname = 'ana-x1', ownerId, isAnyPort = false }: NewLaptop = {}): Promise<Laptop> {
        const wanted = { name: hostname }
        const { secret } = await transact(database.db, (tx) => createEnrollmentSecret(tx, secrets, wanted, change()))
        const parts = { db: database.db, origin, organizationId, hostname, secret, ownerId, isAnyPort, change }
        const laptop = await openLaptop(parts)
        laptops.push(laptop)
        return laptop
      },
    }
  }

  return {
    /** For other `before` hooks, which the runner may start without waiting for this one; tests need not await it. */
    ready: opening,
    database,
    make,
    secrets,
    get db() {
      return database.db
    },
    /** Where it listens: behind a proxy not what it is called. */
    get listenOrigin() {
      return current().listenOrigin
    },
    /** The organization at the base address. */
    get tenant() {
      const { organizationId, origin } = current()
      return tenantAt(organizationId, origin)
    },
    /** Another organization, at an address of its own that leads to the same server. */
    async addTenant(name: string) {
      const origin = current().origin.replace('127.0.0.1', 'localhost')
      const { id } = await make.organization({ name, base_url: origin })
      return tenantAt(id, origin)
    },
    /** The sign-ins that have begun, oldest first. */
    sessions: () =>
      database.db
        .selectFrom('signin_sessions')
        .select(['id', 'state', 'detection_failure', 'device_id', 'person_id', 'evidence', 'answered_at', 'ip_address'])
        .orderBy('started_at')
        .execute(),
  }
}

type NewLaptop = { hostname?: string; ownerId?: string; isAnyPort?: boolean }
