import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'

type Registration = { organizationId: string; deviceId: string; personId: string }

const longestName = 320

/**
 * Remembers that someone else ended a person's registration of a device: it is not offered to them on first use again. What
 * a person ends themselves is not remembered.
 */
export async function rememberEnded(
  tx: Tx,
  { deviceId, personId }: Omit<Registration, 'organizationId'>,
  { organizationId, actor, now }: ChangeContext,
): Promise<void> {
  if (actor.type === 'Person' && actor.id === personId) return
  const ended = { ended_at: now, ended_by: storable(actor.name, longestName) }
  await tx
    .insertInto('ended_registrations')
    .values({ organization_id: organizationId, device_id: deviceId, person_id: personId, ...ended })
    .onConflict((conflict) => conflict.constraint('ended_registrations_pkey').doUpdateSet(ended))
    .execute()
}

/** Forgets it, because the device is the person's again. */
export async function forgetEnded(tx: Tx, { organizationId, deviceId, personId }: Registration): Promise<void> {
  await tx
    .deleteFrom('ended_registrations')
    .where(inOrganization('ended_registrations', organizationId))
    .where('device_id', '=', deviceId)
    .where('person_id', '=', personId)
    .execute()
}

/** Whether someone else ended the person's registration of the device, and nobody has registered it to them since. */
export async function isEnded(reader: Reader, { organizationId, deviceId, personId }: Registration): Promise<boolean> {
  const found = await reader
    .selectFrom('ended_registrations')
    .select('ended_at')
    .where(inOrganization('ended_registrations', organizationId))
    .where('device_id', '=', deviceId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return found !== undefined
}

/** Keeps what is remembered of a device when another record of its machine takes its place. */
export async function moveEnded(
  tx: Tx,
  { organizationId, keptId, otherId }: { organizationId: string; keptId: string; otherId: string },
): Promise<void> {
  await tx
    .insertInto('ended_registrations')
    .columns(['organization_id', 'device_id', 'person_id', 'ended_at', 'ended_by'])
    .expression((build) =>
      build
        .selectFrom('ended_registrations as other')
        .select((row) => ['other.organization_id', row.val(keptId).as('device_id'), 'other.person_id'])
        .select(['other.ended_at', 'other.ended_by'])
        .where('other.organization_id', '=', organizationId)
        .where('other.device_id', '=', otherId),
    )
    .onConflict((conflict) => conflict.constraint('ended_registrations_pkey').doNothing())
    .execute()
}
