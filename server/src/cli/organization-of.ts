import { type Actor, type ChangeContext, type Initiator, newChange } from '../base/change-context.ts'
import { type Reader, type Tx, transact } from '../base/db/transact.ts'
import { operatingUser } from '../base/operating-user.ts'
import { CommandError, exitCodes } from './command-error.ts'
import type { CommandContext } from './data-command.ts'

/** Whoever has this terminal: only the user that the server runs as gets through its socket. */
export const terminalActor = (): Actor => ({
  type: 'User',
  id: null,
  name: `${operatingUser()} (command line)`,
  email: null,
  source: null,
})

/** Whoever runs commands may do everything. */
export const whoeverMayRunThis = (): void => {}

/** Changes an organization by a command of the terminal. */
export const terminalChange = (organizationId: string, now: string, initiator?: Initiator): ChangeContext =>
  newChange(terminalActor(), organizationId, now, initiator)

/** Changes the organization that a command is about, in one transaction. */
export async function changeIn<Result>(
  { connection: { db }, now }: CommandContext,
  named: string | undefined,
  work: (tx: Tx, change: ChangeContext) => Promise<Result>,
): Promise<Result> {
  const { id } = await organizationOf(db, named)
  return transact(db, (tx) => work(tx, terminalChange(id, now)))
}

/** The organization a command is about: the named one, by identifier or name, else the only one there is. */
export async function organizationOf(
  reader: Reader,
  named: string | undefined,
): Promise<{ id: string; name: string; base_url: string | null }> {
  const organizations = await reader
    .selectFrom('organizations')
    .select(['id', 'name', 'base_url'])
    .orderBy('id')
    .limit(100)
    .execute()
  const fitting =
    named === undefined ? organizations : organizations.filter(({ id, name }) => id === named || name === named)
  const [only] = fitting
  if (only && fitting.length === 1) return only
  if (organizations.length === 0) {
    throw new CommandError(exitCodes.notFound, 'There is no organization yet: muster organizations create <name>')
  }
  const known = organizations.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw new CommandError(
    named === undefined ? exitCodes.usage : exitCodes.notFound,
    `Say which organization with --organization: ${known}`,
  )
}
