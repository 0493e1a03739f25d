import { randomBytes } from 'node:crypto'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Tx } from '../../base/db/transact.ts'

/** The identifier that every application knows a person by: opaque, made at their first answer, and kept. */
export async function subjectOfPerson(db: Db | Tx, organizationId: string, personId: string): Promise<string> {
  const find = () =>
    db
      .selectFrom('signin_subjects')
      .select('subject')
      .where(inOrganization('signin_subjects', organizationId))
      .where('person_id', '=', personId)
      .executeTakeFirst()
  const known = await find()
  if (known) return known.subject
  await db
    .insertInto('signin_subjects')
    .values({ organization_id: organizationId, person_id: personId, subject: randomBytes(18).toString('base64url') })
    .onConflict((conflict) => conflict.constraint('signin_subjects_pkey').doNothing())
    .execute()
  return (await find())?.subject ?? Promise.reject(new Error('The subject was not written'))
}
