import { choose, fractionOf, hashOf } from '@muster/agent/simulate/seeded.ts'
import Type from 'typebox'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalActor } from '../organization-of.ts'
import { listCandidates } from '../sign-ins/list-candidates.ts'
import { planSignIn } from '../sign-ins/plan-sign-in.ts'
import { runSignIn } from '../sign-ins/run-sign-in.ts'

/** A sign-in takes less than this, so that none ends in the future. */
const maxSignInMs = 60_000

export const simulateSignInsCommand = defineCommand({
  name: 'simulate-sign-ins',
  args: Type.Object({
    organization: Type.Optional(Type.String()),
    count: Type.Integer({ minimum: 1, maximum: 100_000 }),
    seed: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  }),
  async run({ connection, now }, { organization, count, seed }, io) {
    const { id: organizationId, name } = await organizationOf(connection.db, organization)
    const [first, ...others] = await listCandidates(connection.db, organizationId)
    if (!first)
      throw new CommandError(exitCodes.notFound, 'There is nobody who could sign in: muster people add --help')
    await io.error(
      `This is a simulation: nobody signs in. It writes ${count} sign-ins of the last day into ${name}, marked (simulated) in browser_user_agent, and announces them like real ones.`,
    )
    const actor = terminalActor()
    const description = `Began to simulate ${count} sign-ins.`
    await transact(connection.db, (tx) =>
      recordAudit(tx, { action: 'sign_ins.simulated', about: {}, description }, newChange(actor, organizationId, now)),
    )
    let succeeded = 0
    for (const [number, startedAt] of momentsOf(count, seed, now).entries()) {
      io.signal.throwIfAborted()
      const candidate = choose([first, ...others], hashOf(seed, number))
      const plan = planSignIn(candidate, startedAt, seed, number)
      const isIn = await transact(connection.db, (tx) => runSignIn(tx, organizationId, candidate, plan))
      succeeded += isIn ? 1 : 0
    }
    await io.line(
      `Simulated ${count} sign-ins: ${succeeded} succeeded, ${count - succeeded} did not and count as failed 30 minutes after their last step`,
    )
    return exitCodes.ok
  },
})

/** In order, because the identifiers of auth logs have that of time. */
const momentsOf = (count: number, seed: number, now: string): string[] =>
  Array.from({ length: count }, (_, number) => {
    const agoMs = maxSignInMs + Math.floor(fractionOf(seed, number, 9) * (dayMs - maxSignInMs))
    return plusMs(now, -agoMs)
  }).sort()
