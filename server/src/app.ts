import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Metric } from 'prom-client'
import { adminUserRoutes } from './access/administrators/routes.ts'
import { addKit } from './access/api-keys/add-kit.ts'
import { keyRoutes } from './access/api-keys/console-routes.ts'
import { savedViewRoutes } from './access/saved-views/console-routes.ts'
import { scimTokenRoutes } from './access/scim/console-routes.ts'
import { scimRoutes } from './access/scim/routes.ts'
import { administratorRoutes } from './access/sessions/administrator-routes.ts'
import { consolePageRoutes } from './access/sessions/page-routes.ts'
import { consoleRoutes } from './access/sessions/routes.ts'
import { membershipRoutes } from './administration/groups/membership-routes.ts'
import { deviceGroupRoutes, personGroupRoutes } from './administration/groups/routes.ts'
import { managedPersonRoutes } from './administration/people/routes.ts'
import { ownerListRoutes } from './administration/registrations/owner-list-routes.ts'
import { registrationRoutes } from './administration/registrations/routes.ts'
import { exemptionRequestRoutes } from './administration/requests/exemption-routes.ts'
import { registrationRequestRoutes } from './administration/requests/registration-routes.ts'
import { companionRoutes } from './agents/companion/routes.ts'
import { mergeRoutes } from './agents/merges/routes.ts'
import { packageSettingRoutes } from './agents/packages/console-routes.ts'
import { partRoutes } from './agents/packages/parts/routes.ts'
import { packageRoutes } from './agents/packages/routes.ts'
import { enrollmentSecretRoutes } from './agents/protocol/console-routes.ts'
import { agentRoutes } from './agents/protocol/routes.ts'
import type { Clock } from './base/clock.ts'
import type { Config } from './base/config/load-config.ts'
import type { Connection } from './base/db/connect.ts'
import type { Secrets } from './base/secrets/secrets.ts'
import { checkResultRoutes, checkRoutes } from './checks/definitions/routes.ts'
import { customCheckDraftRoutes } from './checks/drafts/routes.ts'
import { issueRoutes } from './compliance/issues/routes.ts'
import { externalRunRoutes } from './compliance/results/external-run-routes.ts'
import { consoleViewRoutes } from './console/views/routes.ts'
import { createServer } from './http/create-server.ts'
import { addDocs } from './http/docs-routes.ts'
import { keepFixedAddresses } from './http/fixed-addresses.ts'
import type { HealthCheck } from './http/health.ts'
import { addOauthMetadata } from './http/oauth-metadata-routes.ts'
import { addOauth } from './http/oauth-routes.ts'
import { logRequests } from './http/request-log.ts'
import { deviceRoutes } from './inventory/devices/routes.ts'
import { organizationRoutes } from './inventory/organizations/routes.ts'
import { personRoutes } from './inventory/people/routes.ts'
import { liveQueryRoutes } from './live-queries/routes.ts'
import { addOperatorRoutes } from './operator-routes.ts'
import { reportingQueryRoutes } from './reporting/queries/routes.ts'
import { reportingDocumentationRoutes, reportingTableRoutes } from './reporting/routes.ts'
import { authLogRoutes } from './sign-in/auth-logs/routes.ts'
import { bypassCodeRoutes, bypassCodeViewRoutes } from './sign-in/bypass/console-routes.ts'
import { connectionRoutes } from './sign-in/connections/console-routes.ts'
import { connectionViewRoutes } from './sign-in/connections/view-routes.ts'
import { identityRoutes } from './sign-in/sessions/identity-routes.ts'
import { upstreamRoutes, upstreamViewRoutes } from './sign-in/upstreams/console-routes.ts'
import { connectionTestRoutes } from './sign-in/visits/connection-test-routes.ts'
import { visitRoutes } from './sign-in/visits/routes.ts'
import { auditRoutes } from './signals/audit/routes.ts'
import { streamRecordRoutes, streamRoutes } from './signals/streams/routes.ts'
import { webhookDescriptionRoutes } from './signals/webhooks/describe/routes.ts'
import { webhookRoutes } from './signals/webhooks/routes.ts'

/** What makes the service a demo on this machine. */
export type DemoParts = {
  /** What every page says on top. */
  notice: string
  /** Answers what is asked of the demo itself, at the service's own address; false leaves a request to the service. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Where pages look for companions. */
  ports: readonly number[]
}

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
  /** Parts of the service, other than the database, that `/healthz` checks. */
  healthChecks?: Readonly<Record<string, HealthCheck>>
  demo?: DemoParts | undefined
  /** How the keys of Microsoft Entra are read, unless from Microsoft. */
  fetchFromEntra?: Parameters<typeof visitRoutes>[1]['fetchFromEntra']
  /** A minute, but for tests. */
  rateLimitWindowMs?: number
}

/** The whole HTTP side over what it is given; it owns nothing of it, so closing the app leaves the connection open. */
export function buildApp(parts: AppParts): FastifyInstance {
  const { config, log } = parts
  const app = createServer(config, log)
  if (parts.demo) answerBefore(app, parts.demo)
  logRequests(app, log)
  const requests = () => app.kit.tryAdmission()
  const metrics = addOperatorRoutes(app, { ...parts, healthChecks: { requests, ...parts.healthChecks } })
  addKit(app, parts)
  if (parts.agents) {
    for (const metric of parts.agents.metrics.all) metrics.registerMetric(metric as Metric)
    const bodies = agentRoutes(app, parts.agents)
    const { connection, secrets, clock, agents, demo, fetchFromEntra } = parts
    companionRoutes(app, { agents, bodies, baseUrl: config.baseUrl })
    const warn = (facts: object, text: string) => log.warn(facts, text)
    const place = {
      db: connection.db,
      secrets,
      clock,
      signingKeys: agents.signingKeys,
      warn,
      ...(demo && { notice: demo.notice, ports: demo.ports }),
      baseUrl: config.baseUrl,
      fetchFromEntra,
      egressSettings: config,
    }
    for (const metric of visitRoutes(app, place)) metrics.registerMetric(metric as Metric)
  }
  partRoutes(app)
  scimRoutes(app)
  addOauth(app)
  addOauthMetadata(app)
  addDocs(app)
  reportingDocumentationRoutes(app)
  webhookDescriptionRoutes(app)
  const ownerLists = ownerListRoutes()
  addApi(app, ownerLists)
  if (parts.streams) streamRoutes(app, parts.streams)
  consoleRoutes(app, (scope) => {
    administratorRoutes(scope)
    keyRoutes(scope)
    savedViewRoutes(scope)
    enrollmentSecretRoutes(scope)
    packageSettingRoutes(scope)
    scimTokenRoutes(scope)
    connectionRoutes(scope)
    connectionTestRoutes(scope)
    upstreamRoutes(scope)
    bypassCodeRoutes(scope)
    identityRoutes(scope)
    addApi(scope, ownerLists)
    consoleViewRoutes(scope)
    mergeRoutes(scope)
    connectionViewRoutes(scope)
    bypassCodeViewRoutes(scope)
    upstreamViewRoutes(scope)
    if (parts.streams) streamRecordRoutes(scope, parts.streams)
  })
  consolePageRoutes(app, parts.demo?.notice)
  keepFixedAddresses(app)
  return app
}

function answerBefore(app: FastifyInstance, { answer }: DemoParts): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!answer(request.raw, reply.raw)) return done()
    reply.hijack()
  })
}

/** The table of contents of the API, in the order of its documents. */
function addApi(app: FastifyInstance, ownerLists: ReturnType<typeof ownerListRoutes>): void {
  organizationRoutes(app)
  deviceRoutes(app)
  registrationRoutes(app)
  ownerLists(app)
  deviceGroupRoutes(app)
  membershipRoutes(app)
  personRoutes(app)
  managedPersonRoutes(app)
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
