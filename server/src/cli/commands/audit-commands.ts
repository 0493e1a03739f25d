import { readChainHead } from '../../signals/audit/chain-head.ts'
import { type Verdict, verifyChain } from '../../signals/audit/verify-chain.ts'
import type { AuditHead } from '../audit-head.ts'
import { requireSignedHead, signAuditHead } from '../audit-head-file.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf } from '../organization-of.ts'
import { auditGroup } from './audit-group.ts'

export const auditCommands = implement(auditGroup, {
  async head({ connection, secrets, now }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const head = signAuditHead(secrets, await readChainHead(connection.db, id), now)
    await io.write(`${JSON.stringify(head, null, 2)}\n`)
  },

  async verify({ connection, secrets }, { organization: named, head }, io) {
    if (head) requireSignedHead(secrets, head)
    const { id: organizationId, name } = await organizationOf(connection.db, named ?? head?.organization_id)
    if (head && head.organization_id !== organizationId) {
      throw new CommandError(exitCodes.usage, `The head is of organization ${head.organization_id}, not of ${name}`)
    }
    const verdict = await verifyChain(connection.db, {
      organizationId,
      head: head && { lastId: head.last_id, hash: head.hash, count: head.count },
      signal: io.signal,
    })
    for (const line of describeVerdict(verdict, name, head)) await io.line(line)
    return verdict.isIntact ? exitCodes.ok : exitCodes.failure
  },
})

function describeVerdict(verdict: Verdict, name: string, head: AuditHead | undefined): string[] {
  if (verdict.isIntact) {
    const exported = head ? `, and entry ${head.last_id} is the one exported at ${head.exported_at}` : ''
    return [
      `The audit log of ${name} is intact: ${countOf(verdict.count)}, the last is ${verdict.lastId}${exported}`,
      `  ${verdict.hash}`,
      ...(head ? [] : ['Without --head, a log that was cut or rewritten up to its end would not show']),
    ]
  }
  const { entry, fault } = verdict
  if (!entry) return [`The audit log of ${name} is NOT intact: ${fault}`]
  // As JSON, so that nothing in an entry reaches the terminal's controls.
  const shown = JSON.stringify({ timestamp: entry.timestamp, actor: entry.actor_name, description: entry.description })
  return [`The audit log of ${name} is NOT intact: entry ${entry.id} ${fault}`, `  ${shown}`]
}

const countOf = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`)
