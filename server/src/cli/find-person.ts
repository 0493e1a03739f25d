import { closestSpelling, equalsFolded } from '../base/db/folded.ts'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Reader } from '../base/db/transact.ts'
import { findPersonByEmail } from '../inventory/people/find-person-by-email.ts'
import { CommandError, exitCodes } from './command-error.ts'

/** The person a command names by e-mail address; a CommandError where there is none. */
export async function findPerson(reader: Reader, organizationId: string, email: string) {
  const person = await findPersonByEmail(reader, organizationId, email)
  if (person) return person
  throw new CommandError(exitCodes.notFound, `Nobody has the address ${email}: muster people add --help`)
}

/** The person a command names by identifier or e-mail address, deprovisioned ones included; a CommandError where there is none. */
export async function findAnyPerson(reader: Reader, organizationId: string, named: string) {
  const people = reader
    .selectFrom('people')
    .select(['id', 'name', 'email', 'deprovisioned_at'])
    .where(inOrganization('people', organizationId))
  const person = /^[0-9]{1,18}$/.test(named)
    ? await people.where('id', '=', named).executeTakeFirst()
    : await people
        .where(equalsFolded('email', named))
        .orderBy(closestSpelling('email', named), 'desc')
        .limit(1)
        .executeTakeFirst()
  if (person) return person
  throw new CommandError(exitCodes.notFound, `There is no person ${named}: muster people list`)
}
