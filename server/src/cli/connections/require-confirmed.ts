import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { findConnectionById } from '../../sign-in/connections/connection-queries.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { plainText } from '../table.ts'
import { organizationWords, quoted } from './organization-words.ts'

type Question = {
  organizationId: string
  id: string
  /** The name that was given to confirm. */
  confirm: string | undefined
  verb: 'disable' | 'delete'
  /** What was said to choose the organization. */
  named: string | undefined
  now: string
}

/** Refuses, as a usage error that says who is shut out, unless the name of the connection was given. Fails with not_found. */
export async function requireConfirmed(tx: Tx, question: Question): Promise<void> {
  const { organizationId, id, confirm, verb, named, now } = question
  const row = orNotFound(await findConnectionById(tx, organizationId, id))
  const name = plainText(row.name)
  if (confirm === name) return
  if (confirm !== undefined) {
    throw new CommandError(exitCodes.usage, `The connection ${id} is called ${quoted(name)}. Nothing was changed.`)
  }
  const { people, last } = await readPeople(tx, { organizationId, id, now })
  throw new CommandError(
    exitCodes.usage,
    [
      `This shuts everyone out of ${name}: ${wordsFor(people, last)}`,
      `Nothing was changed. To ${verb} it: muster connections ${verb} ${id} --confirm ${quoted(name)}${organizationWords(named)}`,
    ].join('\n'),
  )
}

const wordsFor = (people: number, last: string | null): string =>
  last === null
    ? 'nobody signed in through it in the last 30 days.'
    : `${people === 1 ? '1 person' : `${people} people`} signed in through it in the last 30 days, the last at ${last}.`

/** Who got in within 30 days: how many people, and when someone last did. */
const readPeople = (tx: Tx, { organizationId, id, now }: { organizationId: string; id: string; now: string }) =>
  tx
    .selectFrom('auth_logs')
    .select([sql<number>`count(distinct person_id)::int`.as('people'), sql<string | null>`max(started_at)`.as('last')])
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', id)
    .where('result', '=', 'Success')
    .where('started_at', '>', plusMs(now, -30 * dayMs))
    .executeTakeFirstOrThrow()
