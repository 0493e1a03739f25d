import { randomBytes } from 'node:crypto'
import { after, before } from 'node:test'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import type { FastifyInstance } from 'fastify'
import { createApiKey } from '../../src/access/api-keys/create-api-key.ts'
import { type Agents, startAgents } from '../../src/agents/protocol/start-agents.ts'
import { type AppParts, buildApp } from '../../src/app.ts'
import { systemActor, systemChange } from '../../src/base/change-context.ts'
import { type Config, loadConfig } from '../../src/base/config/load-config.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { type Tx, transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import type { Outbound } from '../../src/base/outbound/outbound.ts'
import { claimInstallation, rememberBaseUrl } from '../../src/base/secrets/installation.ts'
import { openSecrets, type Secrets } from '../../src/base/secrets/secrets.ts'
import { isDatabaseUnavailable } from '../../src/http/database-unavailable.ts'
import { createOrganization } from '../../src/inventory/organizations/create-organization.ts'
import { type StreamParts, type Streams, startStreams } from '../../src/signals/streams/start-streams.ts'
import { holdAnswersToTheirSchemas } from './answer-schemas.ts'
import { type TestDatabase, testDatabase } from './database.ts'

export const baseUrl = 'https://muster.test'

export type Answer = {
  status: number
  // A test asserts whole bodies, so their type would only be in the way.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body: any
  headers: Record<string, string | undefined>
}

export type AskOptions = { key?: string | undefined; headers?: Record<string, string>; body?: unknown }

/** An organization with a key that may do everything and a key that may only read. */
export type Tenant = { organizationId: string; key: string; readOnlyKey: string; keyId: string; readOnlyKeyId: string }

export type TestApp = {
  /** For other `before` hooks, which the runner starts without waiting for this one; tests need not await it. */
  readonly ready: Promise<void>
  readonly app: FastifyInstance
  readonly database: TestDatabase
  readonly db: Db
  readonly secrets: Secrets
  readonly config: Config
  readonly streams: StreamParts
  /** The organization that `ask` speaks for. */
  readonly tenant: Tenant
  /** What the app takes for the present. */
  now(): string
  setNow(now: string): void
  /** Asks with the full key of `tenant` unless told otherwise: `ask('GET', '/whoami')`. */
  ask(method: string, url: string, options?: AskOptions): Promise<Answer>
  /** Another organization with its keys. */
  addTenant(name?: string): Promise<Tenant>
  /** Empties the database and makes `tenant` again, with other keys. */
  reset(): Promise<void>
  /** A key of `tenant`'s organization with just these permissions. */
  addKey(granted?: readonly Permission[]): Promise<string>
}

type Settings = Partial<Pick<AppParts, 'healthChecks' | 'rateLimitWindowMs' | 'fetchFromEntra'>> & {
  env?: Record<string, string>
  /** Endpoints of the test's own, beside those of the product. */
  addRoutes?: (app: FastifyInstance) => void
  /** The way out to receivers; closed with the app. */
  outbound?: Outbound
  pollHoldMs?: number
  /** Agents and people who sign in are served, too. */
  hasAgents?: true
}

const notReady = 'The test app is not open yet: await its `ready` first'

const testConfig = (env: Record<string, string> = {}): Config =>
  loadConfig({ MUSTER_BASE_URL: baseUrl, MUSTER_RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'silent', ...env })

/**
 * The real app over a database of its own, opened before the tests of a file and gone after them. Call it at the top
 * level. The rate limit is out of the way unless `env` sets one.
 */
export function testApp(settings: Settings = {}): TestApp {
  const database = testDatabase()
  const secrets = openSecrets(randomBytes(32))
  const { env, addRoutes, outbound, pollHoldMs, hasAgents, ...parts } = settings
  const config = testConfig(env)
  let now = '2026-11-20T10:00:00.000Z'
  let faults: string[] = []
  let streams: Streams | undefined
  let agents: Agents | undefined
  let opened: { app: FastifyInstance; tenant: Tenant } | undefined
  const current = () => {
    if (!opened) throw new Error(notReady)
    return opened
  }
  let opening: Promise<void> | undefined
  const openOnce = () => (opening ??= open())
  before(openOnce)
  after(async () => {
    await opened?.app.close()
    await agents?.stop()
    await streams?.stop()
  })

  async function open(): Promise<void> {
    await database.ready
    const { connection } = database
    const common = { connection, secrets, clock: () => now, log: createLogger('silent') }
    streams = await startStreams({
      ...{ ...config, ...common },
      ...(outbound && { outbound }),
      ...(pollHoldMs !== undefined && { pollHoldMs }),
    })
    if (hasAgents) agents = await startAgents({ ...common, db: database.db, isTrial: false, isDatabaseUnavailable })
    const app = buildApp({
      ...{ ...parts, ...common, config, streams: streams.parts },
      ...(agents && { agents: agents.context }),
    })
    addRoutes?.(app)
    faults = holdAnswersToTheirSchemas(app)
    await app.ready()
    await noteInstallation(database.db, secrets)
    opened = { app, tenant: await addTenant('Acme') }
  }

  async function addTenant(name = 'Globex'): Promise<Tenant> {
    return transact(database.db, async (tx) => {
      const { id: organizationId } = await createOrganization(tx, { name, actor: systemActor, now })
      if (organizationId !== '1') await giveAddress(tx, organizationId)
      const add = (keyName: string, granted: readonly Permission[]) =>
        createApiKey(tx, secrets, keyOf(keyName, granted), systemChange(organizationId, now))
      const full = await add('Full access', allPermissions)
      const readOnly = await add('Reading', [])
      return { organizationId, key: full.key, keyId: full.id, readOnlyKey: readOnly.key, readOnlyKeyId: readOnly.id }
    })
  }

  return {
    get ready() {
      return openOnce()
    },
    database,
    secrets,
    config,
    get app() {
      return current().app
    },
    get db() {
      return database.db
    },
    get streams() {
      if (!streams) throw new Error(notReady)
      return streams.parts
    },
    get tenant() {
      return current().tenant
    },
    now: () => now,
    setNow: (moment) => {
      now = moment
    },
    addTenant,
    reset: async () => {
      // The app continues signing with the keys that it holds, of organizations with the same identifiers.
      const keys = await database.db.selectFrom('signing_keys').selectAll().where('organization_id', '=', '1').execute()
      await database.reset()
      await noteInstallation(database.db, secrets)
      opened = { app: current().app, tenant: await addTenant('Acme') }
      const rows = keys.map((key) => ({ ...key, public_jwk: JSON.stringify(key.public_jwk) }))
      if (rows.length > 0) await database.db.insertInto('signing_keys').values(rows).execute()
    },
    addKey: async (granted = []) => {
      const made = keyOf('Another key', granted)
      const context = systemChange(current().tenant.organizationId, now)
      return (await transact(database.db, (tx) => createApiKey(tx, secrets, made, context))).key
    },
    ask: async (method, url, options = {}) => {
      const answer = await ask(current().app, method, url, { key: current().tenant.key, ...options })
      const fault = faults.shift()
      if (fault) throw new Error(fault)
      return answer
    },
  }
}

/** Further organizations may have streams only at an address of their own. */
async function giveAddress(tx: Tx, organizationId: string): Promise<void> {
  const own = { base_url: `https://organization-${organizationId}.muster.test` }
  await tx.updateTable('organizations').set(own).where('id', '=', organizationId).execute()
}

async function noteInstallation(db: Db, { fingerprint }: Secrets): Promise<void> {
  await claimInstallation(db, fingerprint, '2026-11-20T10:00:00.000Z')
  await rememberBaseUrl(db, baseUrl)
}

const allPermissions = Object.keys(permissions) as Permission[]

const keyOf = (name: string, granted: readonly Permission[]) => ({
  name,
  responsibleAdministrator: 'Ada Lovelace',
  permissions: Object.fromEntries(granted.map((permission) => [permission, 'The tests need it.'])),
})

async function ask(app: FastifyInstance, method: string, url: string, options: AskOptions): Promise<Answer> {
  const { key, headers = {}, body } = options
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    ...(body !== undefined && { payload: body as object }),
  })
  const isOfJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
  // The answer to a HEAD has the content type of a body, and none.
  const isJson = isOfJson && response.payload !== ''
  return {
    status: response.statusCode,
    body: isJson ? response.json() : isOfJson ? undefined : response.payload,
    headers: response.headers as Record<string, string | undefined>,
  }
}
