import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { addPerson } from '../../inventory/people/add-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { releaseAddress } from './release-address.ts'
import { refuse } from './scim-error.ts'
import { settlePerson } from './settle-person.ts'
import type { UserDraft } from './user-draft.ts'
import { lockDeletedUser, lockPersonOfEmail } from './user-queries.ts'

/**
 * Makes a user and returns its identifier, which is the person's. Someone whom this address belongs to, or who was
 * the user of this name before, is linked; fails with uniqueness if they are a user already, unless the address is one that
 * they only keep.
 */
export async function createUser(tx: Tx, draft: UserDraft, call: ChangeContext): Promise<string> {
  const { organizationId, now } = call
  const known = (await lockPersonToLink(tx, draft, call)) ?? (await lockDeletedUser(tx, organizationId, draft.userName))
  const { name, email, userName, active = true } = draft
  const personId = known?.id ?? (await addPerson(tx, { organizationId, name, email, usernames: [userName], now }))
  await insertUser(tx, personId, draft, call)
  const description = known
    ? `Linked the person "${known.name}" (${known.email}) to the SCIM user "${userName}".`
    : `Added the person "${name}" (${email}) for the SCIM user "${userName}".`
  await recordAudit(tx, { action: 'scim_user.created', about: { person: personId }, description }, call)
  await settlePerson(tx, personId, { name, userName, active, email: active ? email : undefined }, call)
  return personId
}

async function lockPersonToLink(tx: Tx, { email }: UserDraft, call: ChangeContext) {
  const { organizationId } = call
  const holder = await lockPersonOfEmail(tx, organizationId, email)
  if (!holder?.is_managed) return holder
  const isReleased = await releaseAddress(tx, { email, personId: undefined }, call)
  const next = isReleased ? await lockPersonOfEmail(tx, organizationId, email) : holder
  return next?.is_managed ? refuseEmail() : next
}

const refuseEmail = () => refuse(409, 'uniqueness', 'There is a user with this e-mail address already.')

/**
 * RFC 7644 §3.3: a user of this name is a conflict, which the index finds; a deleted one is none (§3.6). So is a person who has
 * become a user since the lookup.
 */
async function insertUser(tx: Tx, personId: string, draft: UserDraft, context: ChangeContext) {
  const { organizationId, now } = context
  const stored = {
    user_name: draft.userName,
    external_id: draft.externalId,
    emails: [...draft.emails],
    attributes: JSON.stringify(draft.attributes),
    created_at: now,
    updated_at: now,
    deleted_at: null,
    is_duplicate: false,
  }
  const inserted = await tx
    .insertInto('scim_users')
    .values({ organization_id: organizationId, person_id: personId, ...stored })
    .onConflict((conflict) =>
      conflict
        .constraint('scim_users_pkey')
        .doUpdateSet({ ...stored, revision: sql<string>`scim_users.revision + 1` })
        .where('scim_users.deleted_at', 'is not', null),
    )
    .returning('person_id')
    .executeTakeFirst()
  if (!inserted) refuseEmail()
}
