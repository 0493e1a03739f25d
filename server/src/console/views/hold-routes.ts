import { checkViewOperations } from '@muster/contract/operations/console-checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { discardHold, releaseHold } from '../../compliance/targeting/decide-hold.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listHolds } from './hold-queries.ts'

/** Blocks that wait for someone to decide, since they were too many at once or an upgrade changed the check. */
export function holdViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...checkViewOperations.listBlockHolds,
    run: async ({ db, organizationId }) => ({ data: await listHolds(db, organizationId) }),
  })

  endpoint(scope, {
    ...checkViewOperations.releaseBlockHold,
    run: ({ db, params: { blockHoldId }, context }) => transact(db, (tx) => releaseHold(tx, blockHoldId, context)),
  })

  endpoint(scope, {
    ...checkViewOperations.discardBlockHold,
    run: ({ db, params: { blockHoldId }, context }) => transact(db, (tx) => discardHold(tx, blockHoldId, context)),
  })
}
