import type { Reader } from '../base/db/transact.ts'
import { findPersonByEmail } from '../inventory/people/find-person-by-email.ts'
import { CommandError, exitCodes } from './command-error.ts'

/** The person a command names by e-mail address; a CommandError where there is none. */
export async function findPerson(reader: Reader, organizationId: string, email: string) {
  const person = await findPersonByEmail(reader, organizationId, email)
  if (person) return person
  throw new CommandError(exitCodes.notFound, `Nobody has the address ${email}: muster people add --help`)
}
