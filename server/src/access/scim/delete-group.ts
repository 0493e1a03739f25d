import { deletePersonGroup } from '../../administration/groups/delete-person-group.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { findGroup } from './group-queries.ts'
import { type Precondition, requireVersion } from './require-version.ts'
import type { ScimCall } from './scim-call.ts'

/** Deletes a group, which takes its row here along. Fails with not_found, also when repeated. */
export async function deleteGroup(tx: Tx, id: string, precondition: Precondition, call: ScimCall): Promise<void> {
  const { organizationId, actor, now } = call
  const group = orNotFound(await findGroup(tx, organizationId, id))
  requireVersion(precondition, group.revision)
  await deletePersonGroup(tx, { organizationId, personGroupId: id, actor, now })
}
