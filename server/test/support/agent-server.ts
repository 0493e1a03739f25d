import { randomBytes } from 'node:crypto'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import { companionRoutes } from '../../src/agents/companion/routes.ts'
import type { BodyLimits } from '../../src/agents/protocol/bodies/body-limits.ts'
import { createEnrollmentSecret } from '../../src/agents/protocol/create-enrollment-secret.ts'
import { agentRoutes } from '../../src/agents/protocol/routes.ts'
import { type Agents, startAgents } from '../../src/agents/protocol/start-agents.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { type Db, transact } from '../../src/base/db/transact.ts'
import { openSecrets, type Secrets } from '../../src/base/secrets/secrets.ts'
import { rememberRoutes } from '../../src/http/create-server.ts'
import { isDatabaseUnavailable } from '../../src/http/database-unavailable.ts'
import { addEarlyAnswers } from '../../src/http/early-answers.ts'
import { testDatabase } from './database.ts'
import { startOfTests } from './make.ts'
import { type Machine, type OsqueryQuirks, osqueryClient } from './osquery-client.ts'

type LogEntry = { message: string; fields: Record<string, unknown> }

export type AgentServer = {
  readonly agents: Agents
  readonly origin: string
  readonly logged: LogEntry[]
  readonly openConnections: () => Promise<number>
  /** An agent of this server; closed with it. */
  client: (quirks?: OsqueryQuirks) => ReturnType<typeof osqueryClient>
  close: () => Promise<void>
}

/** The agents' part of one server process, on a port of its own. */
async function startAgentServer(
  parts: { db: Db; secrets: Secrets; clock: () => string; isTrial?: boolean },
  limits?: BodyLimits,
): Promise<AgentServer> {
  const logged: LogEntry[] = []
  const note = (fields: Record<string, unknown>, message: string) => void logged.push({ message, fields })
  const agents = await startAgents({
    isTrial: false,
    ...parts,
    log: { warn: note, error: note },
    isDatabaseUnavailable,
  })
  const app: FastifyInstance = Fastify({ keepAliveTimeout: 75_000 })
  addEarlyAnswers(app, { addressOf: ({ socket }) => socket.remoteAddress ?? '', isEachLogged: () => false })
  rememberRoutes(app, { apiVersionHeaderAliases: [] })
  const bodies = agentRoutes(app, agents.context, limits)
  companionRoutes(app, { agents: agents.context, bodies, baseUrl: 'https://muster.example.com' })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const clients: { close: () => void }[] = []
  return {
    agents,
    origin,
    logged,
    openConnections: () => promisify(app.server.getConnections).call(app.server),
    client: (quirks) => {
      const client = osqueryClient(origin, quirks)
      clients.push(client)
      return client
    },
    close: async () => {
      for (const client of clients) client.close()
      await app.close()
      await agents.stop()
    },
  }
}

/** Agents over a database of their own, with a clock that the tests turn. Call it at the top level. */
export function testAgents({ isTrial = false } = {}) {
  const secrets = openSecrets(randomBytes(32))
  let now = startOfTests
  let server: AgentServer | undefined
  const others: AgentServer[] = []
  const start = () => startAgentServer({ db: database.db, secrets, clock: () => now, isTrial })
  const current = () => {
    if (!server) throw new Error('The agent server starts in a before hook')
    return server
  }
  // Hooks run in the order in which they are registered, and the database must outlive the agents.
  after(async () => {
    for (const one of [...others, ...(server ? [server] : [])]) await one.close()
  })
  const database = testDatabase()
  const started = Promise.withResolvers<void>()
  before(async () => {
    await database.ready
    server = await start()
    started.resolve()
  })

  async function enrollmentSecret(organizationId: string, personId?: string): Promise<string> {
    const wanted = { name: 'Laptops', ...(personId && { personId }) }
    return (
      await transact(database.db, (tx) =>
        createEnrollmentSecret(tx, secrets, wanted, systemChange(organizationId, now)),
      )
    ).secret
  }

  return {
    database,
    secrets,
    /** For other `before` hooks, which the runner starts without waiting for this one. */
    ready: started.promise,
    get server() {
      return current()
    },
    get context() {
      return current().agents.context
    },
    openConnections: () => current().openConnections(),
    now: () => now,
    /** Turns the clock on; returns the new present. */
    pass(seconds: number): string {
      now = new Date(Date.parse(now) + seconds * 1000).toISOString()
      return now
    },
    client: (quirks?: OsqueryQuirks) => current().client(quirks),
    /** Another server process over the same database, as far as one test process can show it. */
    async another(db: Db = database.db, limits?: BodyLimits, ofTrial = isTrial): Promise<AgentServer> {
      const started = await startAgentServer({ db, secrets, clock: () => now, isTrial: ofTrial }, limits)
      others.push(started)
      return started
    },
    /** Empties the database, and with it what the agents remember; the clock starts again. */
    async reset(): Promise<void> {
      for (const { agents } of [current(), ...others]) await agents.flush()
      await database.reset()
      for (const { agents } of [current(), ...others]) {
        agents.context.registry.distrustAll()
        // Organizations have the same identifiers again.
        for (const organizationId of ['1', '2', '3']) {
          agents.context.signingKeys.forget({ organizationId, purpose: 'challenge' })
        }
      }
      now = startOfTests
    },
    enrollmentSecret,
    /** An agent that has just enrolled, and its device. */
    async enrolled(organizationId: string, machine: Machine = {}, quirks?: OsqueryQuirks) {
      const client = current().client(quirks)
      await client.enroll(await enrollmentSecret(organizationId), machine)
      const { id } = await database.db
        .selectFrom('devices')
        .select('id')
        .where('organization_id', '=', organizationId)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      return { client, deviceId: id }
    },
  }
}
