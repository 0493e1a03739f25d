import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type FirstRunLink, firstRunLink } from './access/sessions/first-run-link.ts'
import { hasAccounts } from './access/sessions/queries.ts'
import { ensureAllPackages } from './agents/packages/ensure-packages.ts'
import { openPackageSite } from './agents/packages/site.ts'
import { type Agents, startAgents } from './agents/protocol/start-agents.ts'
import { buildApp, type DemoParts } from './app.ts'
import type { Clock } from './base/clock.ts'
import type { Config } from './base/config/load-config.ts'
import { rememberBaseUrl } from './base/secrets/installation.ts'
import { type FirstStart, firstStart } from './first-start.ts'
import { sayOutagesOnce } from './health/outage-log.ts'
import { describeSilence, readBackgroundStatus } from './health/worker-heartbeats.ts'
import { describeRefusedWrites, watchFaults } from './health/write-access.ts'
import { isDatabaseAway, isDatabaseUnavailable } from './http/database-unavailable.ts'
import { type Deployment, openDeployment, type Roles } from './open-deployment.ts'
import { buildWorkerApp } from './operator-routes.ts'
import { startStreams } from './signals/streams/start-streams.ts'
import { startWorker, type Worker } from './worker.ts'

export type ServerParts = {
  config: Config
  clock: Clock
  log: Logger
  /** Whether this process works in the background as well as, or instead of, answering requests. */
  roles: Roles
  isTrial?: boolean
  demo?: DemoParts
}

export type Server = {
  deployment: Deployment
  /** Undefined without the API, and unless this start was the first. */
  first: FirstStart | undefined
  /** Whether nobody can sign in to the console yet; false without the API. */
  needsFirstAdmin: boolean
  /** In a trial, a one-time link for the first administrator while nobody can sign in. */
  firstRun: FirstRunLink | undefined
  /** Where it listens; a worker answers only health and metrics there. */
  address: string | undefined
  /** Answers the requests that have begun, writes what is buffered, closes the database. */
  stop(): Promise<void>
}

/** Also for the terminal of a trial, whose log is in a file. */
export const privateReceivers =
  'MUSTER_ALLOW_PRIVATE_RECEIVERS is on: streams and webhooks may call addresses of this machine and its networks. For tests and laboratories only'

/** The whole service in one process: the only place where its parts are put together. */
export async function startServer(parts: ServerParts): Promise<Server> {
  const { config, clock, roles, isTrial = false, demo } = parts
  const deployment = await openDeployment(config, clock, roles)
  const { connection, secrets } = deployment
  const fault = watchFaults(connection.describeFault)
  const look = async () => (await fault()) ?? describeRefusedWrites(connection.db)
  const { log, ...outages } = sayOutagesOnce({ log: parts.log, isDatabaseAway, look })
  const stops: (() => Promise<void>)[] = [() => connection.close(), async () => outages.stop()]
  const stop = async () => {
    for (const part of stops.splice(0).reverse()) {
      // A database that is gone must not keep the rest from ending.
      await part().catch((error: unknown) => log.error({ err: error }, 'Part of the service did not stop cleanly'))
    }
  }
  if (config.allowPrivateReceivers) log.warn(privateReceivers)
  for (const { name, message } of config.removedSettings) log.warn(`${name} ${message}`)
  try {
    const first = await firstStart(connection.db, secrets, config.bootstrap, { isTrial, now: clock() })
    await rememberBaseUrl(connection.db, config.baseUrl)
    const streams = await startStreams({ ...config, connection, secrets, clock, log })
    stops.push(() => streams.stop())
    if (roles.worker) {
      const worker: Worker = await startWorker({ config, connection, clock, log, streams: streams.parts })
      stops.push(() => worker.stop())
    }
    const healthChecks = { background: async () => describeSilence(await readBackgroundStatus(connection.db)) }
    if (!roles.api) {
      const app = buildWorkerApp({ config, connection, log, healthChecks })
      stops.push(() => app.close())
      const address = await listenForOperators(app, config, log)
      return { deployment, first, needsFirstAdmin: false, firstRun: undefined, address, stop }
    }
    await ensureAllPackages(connection.db, secrets, await openPackageSite(config), clock())
    const common = { db: connection.db, secrets, clock, log, isDatabaseUnavailable }
    const agents: Agents = await startAgents({ ...common, isTrial: isTrial || demo !== undefined })
    stops.push(() => agents.stop())
    const own = { config, connection, secrets, clock, log, agents: agents.context, streams: streams.parts, demo }
    const app = buildApp({ ...own, healthChecks })
    stops.push(() => app.close())
    const address = await app.listen({ host: config.host, port: config.port })
    if (!isTrial) stops.push(() => drain(app, config.drainSeconds))
    const needsFirstAdmin = !(await hasAccounts(connection.db))
    const firstRun = isTrial
      ? await firstRunLink(connection.db, secrets, { baseUrl: config.baseUrl, now: clock() })
      : undefined
    return { deployment, first, needsFirstAdmin, firstRun, address, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type App = ReturnType<typeof buildApp>

/** Answers requests until load balancers have seen that `/readyz` turned to 503. */
async function drain(app: App, seconds: number): Promise<void> {
  app.drain()
  await pause(seconds * 1_000)
}

/** A worker whose port is taken works on: deliveries matter more than who can watch them. */
async function listenForOperators(app: App, config: Config, log: Logger): Promise<string | undefined> {
  const { workerHost: host, workerPort: port } = config
  try {
    return await app.listen({ host, port })
  } catch (error) {
    log.error({ err: error }, `The worker has no /healthz and /metrics: choose another MUSTER_WORKER_PORT than ${port}`)
    return undefined
  }
}
