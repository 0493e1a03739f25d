import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import type { Values } from './attribute.ts'
import { releaseAddress } from './release-address.ts'
import { type Precondition, requireVersion } from './require-version.ts'
import { settlePerson } from './settle-person.ts'
import { draftOf, type UserDraft } from './user-draft.ts'
import { lockUser, type UserRow } from './user-queries.ts'
import { enterpriseUrn } from './user-schema.ts'

export type UserChange = {
  id: string
  precondition: Precondition
  /** From the user's current state to the desired one. */
  change: (current: Values) => UserDraft
}

/** Changes a user and the person it is; writes nothing where nothing changes. Fails with not_found. */
export async function changeUser(tx: Tx, { id, precondition, change }: UserChange, call: ChangeContext): Promise<void> {
  const row = orNotFound(await lockUser(tx, call.organizationId, id))
  requireVersion(precondition, row.revision)
  const current = valuesOf(row)
  const draft = change(current)
  const changes = changesOf(draftOf(current, current), draft)
  const isActivityNew = draft.active !== undefined && draft.active !== row.active
  if (changes.length > 0 || isActivityNew) await write(tx, id, draft, call)
  const { name, email, userName, active = row.active } = draft
  if (active && email !== row.email) await releaseAddress(tx, { email, personId: id }, call)
  const wanted = { name, userName, active: isActivityNew ? active : undefined, email: active ? email : undefined }
  await settlePerson(tx, id, wanted, call)
  if (changes.length === 0) return
  const description = `Changed the SCIM user "${row.user_name}": ${changes.join(', ')}.`
  await recordAudit(tx, { action: 'scim_user.updated', about: { person: id }, description }, call)
}

/** The user under the names of the schema. */
const valuesOf = ({ user_name, external_id, active, attributes }: UserRow): Values => ({
  userName: user_name,
  ...(external_id !== null && { externalId: external_id }),
  active,
  ...attributes,
})

/** What the audit log says. Values of other attributes do not belong there. */
function changesOf(before: UserDraft, after: UserDraft): string[] {
  const names = [...new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)])].sort()
  const others = names.filter((name) => !isDeepStrictEqual(before.attributes[name], after.attributes[name]))
  const keys = [
    ['userName', before.userName, after.userName],
    ['externalId', before.externalId, after.externalId],
  ] as const
  return [
    ...keys
      .filter(([, from, to]) => from !== to)
      .map(([name, from, to]) => `${name} from ${quoted(from)} to ${quoted(to)}`),
    ...others.map((name) => (name === enterpriseUrn ? 'what employers know' : name)),
  ]
}

const quoted = (text: string | null): string => (text === null ? 'nothing' : `"${text}"`)

async function write(tx: Tx, id: string, draft: UserDraft, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  await tx
    .updateTable('scim_users')
    .set({
      user_name: draft.userName,
      external_id: draft.externalId,
      emails: [...draft.emails],
      attributes: JSON.stringify(draft.attributes),
      is_duplicate: sql<boolean>`is_duplicate and user_name = ${draft.userName}`,
      revision: sql<string>`revision + 1`,
      updated_at: now,
    })
    .where(inOrganization('scim_users', organizationId))
    .where('person_id', '=', id)
    .execute()
}
