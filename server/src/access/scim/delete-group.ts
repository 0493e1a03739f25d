import { deletePersonGroup } from '../../administration/groups/delete-person-group.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { findGroup } from './group-queries.ts'
import { type Precondition, requireVersion } from './require-version.ts'

/** Deletes a group, which takes its row here along. Fails with not_found, also when repeated. */
export async function deleteGroup(tx: Tx, id: string, precondition: Precondition, call: ChangeContext): Promise<void> {
  const { organizationId } = call
  const group = orNotFound(await findGroup(tx, organizationId, id))
  requireVersion(precondition, group.revision)
  await deletePersonGroup(tx, { personGroupId: id }, call)
}
