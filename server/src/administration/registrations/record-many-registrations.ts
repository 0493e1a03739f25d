import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { hourMs, plusMs } from '../../base/time.ts'
import { isRecordedSince } from '../../signals/audit/queries.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

/** So many devices that a person registers to themselves within an hour are told to administrators. */
export const manyDevices = 5

type Registrar = { id: string; name: string; email: string }

/** Tells, once an hour at most, that a locked person has registered many devices to themselves within the hour before. */
export async function recordManyRegistrations(tx: Tx, person: Registrar, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const hourAgo = plusMs(now, -hourMs)
  const devices = await tx
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', organizationId))
    .where('registered_owner_id', '=', person.id)
    .where('is_registered_by_owner', '=', true)
    .where('registered_at', '>=', hourAgo)
    .where('deleted_at', 'is', null)
    .limit(manyDevices)
    .execute()
  if (devices.length < manyDevices) return
  const told = { action: 'person.registered_many_devices', about: { person: person.id } } as const
  if (await isRecordedSince(tx, organizationId, told, hourAgo)) return
  await recordAudit(
    tx,
    {
      ...told,
      description: `"${person.name}" (${person.email}) registered ${manyDevices} devices or more within an hour, with an enrollment secret issued for them or at a sign-in.`,
    },
    context,
  )
}
