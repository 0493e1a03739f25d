import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Metric } from 'prom-client'
import { adminUserRoutes } from './admin-users/routes.ts'
import { agentRoutes } from './agents/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { authLogRoutes } from './auth-logs/routes.ts'
import { externalRunRoutes } from './checks/external-run-routes.ts'
import { checkResultRoutes, checkRoutes } from './checks/routes.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/load-config.ts'
import { consolePageRoutes } from './console-access/page-routes.ts'
import { consoleRoutes } from './console-access/routes.ts'
import { consoleViewRoutes } from './console-views/routes.ts'
import type { Connection } from './db/connect.ts'
import { mergeRoutes } from './device-merges/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { customCheckDraftRoutes } from './drafts/routes.ts'
import { membershipRoutes } from './groups/membership-routes.ts'
import { deviceGroupRoutes, personGroupRoutes } from './groups/routes.ts'
import { deploymentGauges } from './health/deployment-gauges.ts'
import { describeRefusedWrites } from './health/write-access.ts'
import { addKit } from './http/add-kit.ts'
import { createServer } from './http/create-server.ts'
import { addDocs } from './http/docs-routes.ts'
import { addHealth, type HealthCheck } from './http/health.ts'
import { addMetrics } from './http/metrics.ts'
import { addOauthMetadata } from './http/oauth-metadata-routes.ts'
import { addOauth } from './http/oauth-routes.ts'
import { logRequests } from './http/request-log.ts'
import { issueRoutes } from './issues/routes.ts'
import { liveQueryRoutes } from './live-queries/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { packageRoutes } from './packages/routes.ts'
import { personRoutes } from './people/routes.ts'
import { registrationRoutes } from './registrations/routes.ts'
import { reportingQueryRoutes } from './reporting/queries/routes.ts'
import { reportingDocumentationRoutes, reportingTableRoutes } from './reporting/routes.ts'
import { exemptionRequestRoutes } from './requests/exemption-routes.ts'
import { registrationRequestRoutes } from './requests/registration-routes.ts'
import { scimRoutes } from './scim/routes.ts'
import type { Secrets } from './secrets/secrets.ts'
import { streamRecordRoutes, streamRoutes } from './streams/routes.ts'
import { webhookDescriptionRoutes } from './webhooks/describe/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export type AppParts = {
  config: Config
  connection: Connection
  secrets: Secrets
  clock: Clock
  log: Logger
  /** Absent: no agent is served here. */
  agents?: Parameters<typeof agentRoutes>[1]
  /** What streams are served with. Absent: there are no streams here. */
  streams?: Parameters<typeof streamRoutes>[1]
  /** Parts of the service besides the database that `/healthz` asks after. */
  healthChecks?: Readonly<Record<string, HealthCheck>>
  /** A minute, but for tests. */
  rateLimitWindowMs?: number
}

/** The whole HTTP side over what it is given; it owns nothing of it, so closing the app leaves the connection open. */
export function buildApp(parts: AppParts): FastifyInstance {
  const { config, log } = parts
  const app = createServer(config, log)
  logRequests(app, log)
  const metrics = addOperatorRoutes(app, parts)
  addKit(app, parts)
  if (parts.agents) {
    for (const metric of parts.agents.metrics.all) metrics.registerMetric(metric as Metric)
    agentRoutes(app, parts.agents)
  }
  scimRoutes(app)
  addOauth(app)
  addOauthMetadata(app)
  addDocs(app)
  reportingDocumentationRoutes(app)
  webhookDescriptionRoutes(app)
  addApi(app)
  if (parts.streams) streamRoutes(app, parts.streams)
  consoleRoutes(app, (scope) => {
    addApi(scope)
    consoleViewRoutes(scope)
    mergeRoutes(scope)
    if (parts.streams) streamRecordRoutes(scope, parts.streams)
  })
  consolePageRoutes(app)
  return app
}

type OperatorParts = Pick<AppParts, 'config' | 'connection' | 'log' | 'healthChecks'>

/** What a process that only works in the background answers: its health and its metrics, over plain HTTP. */
export function buildWorkerApp(parts: OperatorParts): FastifyInstance {
  const app = createServer({ ...parts.config, tls: undefined }, parts.log)
  addOperatorRoutes(app, parts)
  return app
}

function addOperatorRoutes(app: FastifyInstance, { config, connection, log, healthChecks = {} }: OperatorParts) {
  const metrics = addMetrics(app, config.metricsToken)
  for (const gauge of deploymentGauges(connection)) metrics.registerMetric(gauge)
  const database = () => describeRefusedWrites(connection.db)
  addHealth(app, log, { database, ...healthChecks })
  return metrics
}

/** The table of contents of the API, in the order of its documents. */
function addApi(app: FastifyInstance): void {
  organizationRoutes(app)
  deviceRoutes(app)
  registrationRoutes(app)
  deviceGroupRoutes(app)
  membershipRoutes(app)
  personRoutes(app)
  personGroupRoutes(app)
  checkRoutes(app)
  checkResultRoutes(app)
  externalRunRoutes(app)
  customCheckDraftRoutes(app)
  issueRoutes(app)
  exemptionRequestRoutes(app)
  registrationRequestRoutes(app)
  packageRoutes(app)
  liveQueryRoutes(app)
  reportingTableRoutes(app)
  reportingQueryRoutes(app)
  auditRoutes(app)
  authLogRoutes(app)
  adminUserRoutes(app)
  webhookRoutes(app)
}
