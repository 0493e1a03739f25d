import { recordViewOperations } from '@muster/contract/operations/console-records.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { readChainHead } from '../../signals/audit/chain-head.ts'
import { askForVerification, findVerification } from '../../signals/audit/keep-verification.ts'

/** Whether the audit log is as it was written; checking again only changes when it was checked. */
export function chainRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...recordViewOperations.getAuditChain,
    run: async ({ db, organizationId }) => {
      const [found, head] = await Promise.all([findVerification(db, organizationId), readChainHead(db, organizationId)])
      const verified = found && {
        at: found.verified_at,
        is_intact: found.fault === null,
        entries_count: Number(found.entries_count),
        last_id: found.last_id,
        fault: found.fault,
        faulty_id: found.faulty_id,
      }
      return { verified: verified ?? null, last_id: head.lastId }
    },
  })

  endpoint(scope, {
    ...recordViewOperations.verifyAuditChain,
    run: ({ db, organizationId, now }) => transact(db, (tx) => askForVerification(tx, organizationId, now)),
  })
}
