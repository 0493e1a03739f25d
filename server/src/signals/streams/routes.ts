import type { FastifyInstance } from 'fastify'
import { administratorRoutes } from './administrator-routes.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { issuerRoutes } from './issuer-routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { snapshotRoutes } from './ledger/snapshot-routes.ts'
import { managementRoutes } from './management-routes.ts'
import { pollRoutes } from './poll/routes.ts'
import { receiverRoutes } from './receiver-routes.ts'
import type { StreamParts } from './start-streams.ts'

export function streamRoutes(app: FastifyInstance, parts: StreamParts): void {
  discoveryRoutes(app, parts)
  receiverRoutes(app, parts)
  managementRoutes(app, parts)
  issuerRoutes(app, parts)
  pollRoutes(app, parts)
  ledgerRoutes(app, parts)
  snapshotRoutes(app, parts)
}

/** Streams as an administrator sees them, without what is for receivers. */
export function streamRecordRoutes(app: FastifyInstance, parts: StreamParts): void {
  administratorRoutes(app)
  issuerRoutes(app, parts)
  managementRoutes(app, parts)
  ledgerRoutes(app, parts)
  snapshotRoutes(app, parts)
}
