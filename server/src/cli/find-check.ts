import { inOrganization } from '../base/db/in-organization.ts'
import type { Reader } from '../base/db/transact.ts'
import { CommandError, exitCodes } from './command-error.ts'

/** The check a command names by identifier or slug; a CommandError where there is none. */
export async function findCheck(reader: Reader, organizationId: string, named: string) {
  const column = /^[0-9]{1,18}$/.test(named) ? 'id' : 'slug'
  const check = await reader
    .selectFrom('checks')
    .select(['id', 'slug'])
    .where(inOrganization('checks', organizationId))
    .where(column, '=', named)
    .executeTakeFirst()
  if (check) return check
  throw new CommandError(exitCodes.notFound, `There is no check ${named}: muster checks list shows them`)
}
