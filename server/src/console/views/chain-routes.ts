import { AuditChain } from '@muster/contract/console-audit.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { readChainHead } from '../../signals/audit/chain-head.ts'
import { askForVerification, findVerification } from '../../signals/audit/keep-verification.ts'

const shared = { tag: 'Console', permission: 'read' } as const

/** Whether the audit log is as it was written; looking again changes nothing but when that was looked at. */
export function chainRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...shared,
    method: 'GET',
    path: '/views/audit_chain',
    operationId: 'getAuditChain',
    summary: 'Read whether the audit log is as it was written, and when that was verified',
    answer: AuditChain,
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
    ...shared,
    method: 'POST',
    path: '/views/audit_chain/verify',
    operationId: 'verifyAuditChain',
    summary: 'Have the audit log verified in the background',
    run: ({ db, organizationId, now }) => transact(db, (tx) => askForVerification(tx, organizationId, now)),
  })
}
