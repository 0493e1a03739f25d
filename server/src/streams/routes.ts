import { JsonWebKeySet } from '@muster/contract/ssf-discovery.ts'
import type { FastifyInstance } from 'fastify'
import { publicEndpoint } from '../http/endpoint.ts'
import { administratorRoutes } from './administrator-routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { snapshotRoutes } from './ledger/snapshot-routes.ts'
import { managementRoutes } from './management-routes.ts'
import { pollRoutes } from './poll/routes.ts'
import { receiverRoutes } from './receiver-routes.ts'
import { listPublishedKeys, publishedKeysMaxAgeSeconds } from './signing-keys.ts'
import type { StreamParts } from './start-streams.ts'

export function streamRoutes(app: FastifyInstance, parts: StreamParts): void {
  publicEndpoint(app, {
    method: 'GET',
    path: '/ssf/jwks.json',
    operationId: 'getSsfKeys',
    summary: 'Read the keys that verify event tokens',
    tag: 'Shared Signals',
    headers: { 'cache-control': `public, max-age=${publishedKeysMaxAgeSeconds}` },
    answer: JsonWebKeySet,
    run: async ({ db, now }) => ({ keys: await listPublishedKeys(db, now) }),
  })

  receiverRoutes(app, parts)
  managementRoutes(app, parts)
  pollRoutes(app, parts)
  ledgerRoutes(app)
  snapshotRoutes(app, parts)
}

/** Streams as an administrator sees them, without what is for receivers. */
export function streamRecordRoutes(app: FastifyInstance, parts: StreamParts): void {
  administratorRoutes(app)
  managementRoutes(app, parts)
  ledgerRoutes(app)
  snapshotRoutes(app, parts)
}
