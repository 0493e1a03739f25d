import type { SignInReadiness } from '@muster/contract/console-sign-in.ts'
import type { Tx } from '../../base/db/transact.ts'
import { readBeforeEnforcing } from '../../sign-in/connections/confirm-enforcement.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { describeRefused } from './describe-refused.ts'
import { organizationWords } from './organization-words.ts'

type Question = {
  organizationId: string
  id: string
  /** How many people the terminal says would be refused. */
  refusing: number | undefined
  /** What was said to choose the organization. */
  named: string | undefined
  now: string
}

/**
 * Refuses to turn enforcement on, as a usage error that says who would be refused today, unless their number was given. As the console
 * does, which has it typed.
 */
export async function requireRefusing(tx: Tx, { id, refusing, named, ...asked }: Question): Promise<void> {
  const readiness = await readBeforeEnforcing(tx, { ...asked, connectionId: id })
  if (!readiness || readiness.refused_count === refusing) return
  const { refused_count: count } = readiness
  throw new CommandError(
    exitCodes.usage,
    [
      ...(refusing === undefined ? [] : [`Not ${refusing}.`]),
      ...linesOf(readiness),
      `Nothing was changed. To enforce: muster connections enforce ${id} --refusing ${count}${organizationWords(named)}`,
    ].join('\n'),
  )
}

function linesOf(readiness: SignInReadiness): string[] {
  const { people_count: all, refused_count: count } = readiness
  if (all === 0) return ['There are no people yet: everyone who comes would be refused.']
  if (count === 0) return [`None of ${all} people would be refused today.`]
  return [`${count} of ${all} people would be refused today:`, ...describeRefused(readiness).map((line) => `  ${line}`)]
}
