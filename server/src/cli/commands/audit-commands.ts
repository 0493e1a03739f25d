import { orNotFound } from '../../base/errors.ts'
import { keptMs } from '../../base/retention.ts'
import { dayMs } from '../../base/time.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { shownState } from '../../inventory/devices/rules.ts'
import { readChainHead } from '../../signals/audit/chain-head.ts'
import { type Verdict, verifyChain } from '../../signals/audit/verify-chain.ts'
import { type TracedState, traceStates } from '../../signals/events/trace-states.ts'
import type { AuditHead } from '../audit-head.ts'
import { requireSignedHead, signAuditHead } from '../audit-head-file.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf } from '../organization-of.ts'
import { plainText } from '../table.ts'
import { auditGroup } from './audit-group.ts'

export const auditCommands = implement(auditGroup, {
  async head({ connection, secrets, now }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const head = signAuditHead(secrets, await readChainHead(connection.db, id), now)
    await io.write(`${JSON.stringify(head, null, 2)}\n`)
  },

  async why({ connection: { db } }, { device: id, organization: named }, io) {
    const { id: organizationId } = await organizationOf(db, named)
    const device = orNotFound(await findDevice(db, organizationId, id))
    const states = await traceStates(db, { organizationId, deviceId: id }, maxStates)
    for (const line of describeStates(device, states)) await io.line(line)
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

const maxStates = 10

const stateWords: Readonly<Record<string, string>> = shownState

function describeStates(device: { id: string; name: string; auth_state: string }, states: readonly TracedState[]) {
  const now = stateWords[device.auth_state] ?? device.auth_state
  const head = `Device ${device.id}, ${plainText(device.name)}: ${now}`
  if (states.length > 0) return [head, ...states.flatMap(describeState)]
  return [head, `  Its state did not change within the last ${keptMs.events / dayMs} days`]
}

function describeState({ occurred_at: at, cause, data, entries, issues }: TracedState): string[] {
  const [from, to] = [data.from, data.to].map((state) => stateWords[state] ?? state)
  const because = [
    ...issues.map(({ what, title }) => `${plainText(title)}: ${what === 'new' ? 'found' : 'resolved'}`),
    ...entries.map(
      ({ id, actor_name: name, description }) =>
        `${plainText(name)}: ${plainText(description)} (audit log entry ${id})`,
    ),
  ]
  const requests = [...new Set(entries.flatMap(({ request_id: id }) => id ?? []))]
  return [
    `${at}  ${from} → ${to}`,
    ...(because.length > 0 ? because : [withoutEntry[data.initiator] ?? unknown]).map((line) => `  ${line}`),
    `  cause ${cause}${requests.length > 0 ? `, request ${requests.join(', ')}` : ''}`,
  ]
}

const unknown = 'The audit log has no entry of what caused this'

/** What a change of state without an entry comes from, by who set it in motion. */
const withoutEntry: Readonly<Record<string, string>> = {
  policy: 'A deadline passed: a grace period ended, or the start date of a check came',
}

const countOf = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`)
