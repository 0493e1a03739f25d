import { createPersonGroup } from '../../administration/groups/create-person-group.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { addMembers } from './change-group.ts'

export type GroupDraft = {
  readonly displayName: string
  readonly externalId: string | null
  /** Undefined: as they are. */
  readonly members: readonly string[] | undefined
}

/** Makes a group with its members and returns its identifier. Groups of one name are a conflict, which the index finds. */
export async function createGroup(tx: Tx, draft: GroupDraft, call: ChangeContext): Promise<string> {
  const { organizationId, now } = call
  const id = await createPersonGroup(tx, { name: draft.displayName }, call)
  await tx
    .insertInto('scim_groups')
    .values({
      organization_id: organizationId,
      person_group_id: id,
      display_name: draft.displayName,
      external_id: draft.externalId,
      created_at: now,
      updated_at: now,
    })
    .execute()
  if (draft.members && draft.members.length > 0) await addMembers(tx, id, draft.members, call)
  return id
}
