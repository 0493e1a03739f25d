import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Metric, Registry } from 'prom-client'
import type { Config } from './base/config/load-config.ts'
import { unansweredCounter } from './base/db/answer-limit.ts'
import type { Connection } from './base/db/connect.ts'
import { deliveryCounter } from './base/outbound/count-deliveries.ts'
import { deploymentGauges } from './health/deployment-gauges.ts'
import { watchFaults, watchWrites } from './health/write-access.ts'
import { createServer } from './http/create-server.ts'
import { addHealth, type HealthCheck } from './http/health.ts'
import { addMetrics } from './http/metrics.ts'
import { signInCounter } from './sign-in/auth-logs/announce-ends.ts'

type OperatorParts = {
  config: Config
  connection: Connection
  log: Logger
  /** Parts of the service, other than the database, that `/healthz` checks. */
  healthChecks?: Readonly<Record<string, HealthCheck>>
}

/** What a process that only works in the background answers: its health and its metrics, over plain HTTP. */
export function buildWorkerApp(parts: OperatorParts): FastifyInstance {
  const app = createServer({ ...parts.config, tls: undefined }, parts.log)
  addOperatorRoutes(app, parts)
  return app
}

/** Health and metrics, with what every process counts, whether it answers requests or works in the background. */
export function addOperatorRoutes(
  app: FastifyInstance,
  { config, connection, log, healthChecks = {} }: OperatorParts,
): Registry {
  const metrics = addMetrics(app, config.metricsToken)
  const refusedWrites = watchWrites(connection.db)
  const fault = watchFaults(connection.describeFault)
  const database = async () => (await fault()) ?? refusedWrites()
  // Connections are counted before the checks use some.
  const gauges = deploymentGauges(connection)
  const health = addHealth(app, log, { database, ...healthChecks })
  const own = [...gauges, ...health, unansweredCounter, signInCounter, deliveryCounter]
  for (const metric of own) metrics.registerMetric(metric as Metric)
  return metrics
}
