import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'

type Registration = { organizationId: string; deviceId: string; personId: string }

const longestName = 320

/**
 * Remembers that someone else ended a person's registration of a device: it is not offered to them on first use again. What
 * a person ends themselves is not remembered, unless it was suspended.
 */
export async function rememberEnded(
  tx: Tx,
  { deviceId, personId, suspendedAt }: Omit<Registration, 'organizationId'> & { suspendedAt: string | null },
  { organizationId, actor, now }: ChangeContext,
): Promise<void> {
  if (actor.type === 'Person' && actor.id === personId && suspendedAt === null) return
  const ended = { ended_at: now, ended_by: storable(actor.name, longestName), suspended_at: suspendedAt }
  await tx
    .insertInto('ended_registrations')
    .values({ organization_id: organizationId, device_id: deviceId, person_id: personId, ...ended })
    .onConflict((conflict) => conflict.constraint('ended_registrations_pkey').doUpdateSet(ended))
    .execute()
}

/** Forgets it, because the device is the person's again, and returns what it was. */
export function forgetEnded(tx: Tx, { organizationId, deviceId, personId }: Registration) {
  return tx
    .deleteFrom('ended_registrations')
    .where(inOrganization('ended_registrations', organizationId))
    .where('device_id', '=', deviceId)
    .where('person_id', '=', personId)
    .returning('suspended_at')
    .executeTakeFirst()
}

/** What is remembered of the person's registration of the device; undefined once it is theirs again. */
export function findEnded(reader: Reader, { organizationId, deviceId, personId }: Registration) {
  return reader
    .selectFrom('ended_registrations')
    .select('suspended_at')
    .where(inOrganization('ended_registrations', organizationId))
    .where('device_id', '=', deviceId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
}

/** Keeps what is remembered of a device when another record of its machine takes its place. */
export async function moveEnded(
  tx: Tx,
  { organizationId, keptId, otherId }: { organizationId: string; keptId: string; otherId: string },
): Promise<void> {
  await tx
    .insertInto('ended_registrations')
    .columns(['organization_id', 'device_id', 'person_id', 'ended_at', 'ended_by', 'suspended_at'])
    .expression((build) =>
      build
        .selectFrom('ended_registrations as other')
        .select((row) => ['other.organization_id', row.val(keptId).as('device_id'), 'other.person_id'])
        .select(['other.ended_at', 'other.ended_by', 'other.suspended_at'])
        .where('other.organization_id', '=', organizationId)
        .where('other.device_id', '=', otherId),
    )
    .onConflict((conflict) => conflict.constraint('ended_registrations_pkey').doNothing())
    .execute()
}
