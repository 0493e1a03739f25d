import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { askForLinkAgain } from '../companion-keys/ask-for-link.ts'
import type { findIdentityKey } from '../companion-keys/queries.ts'
import type { DeviceFacts } from './enrollment-rules.ts'

/** So long a node has time to be confirmed by the companion of the device that it says it is. */
const confirmationMs = 15 * minuteMs

/** Of one device, this many nodes may wait; older ones go. */
const maxUnconfirmed = 8

type IdentityKey = NonNullable<Awaited<ReturnType<typeof findIdentityKey>>>

export type UnconfirmedNode = {
  deviceId: string
  lookupHash: Buffer
  facts: DeviceFacts
  secretId: string
}

/**
 * Lets a node wait that enrolls as a device with a linked companion. The node in service stays, nothing of the device
 * changes, and the companion is asked for its file.
 */
export async function addUnconfirmedNode(
  tx: Tx,
  node: UnconfirmedNode,
  key: IdentityKey,
  change: ChangeContext,
): Promise<void> {
  const { deviceId, lookupHash, facts, secretId } = node
  const { organizationId, now } = change
  await tx
    .insertInto('node_key_lookups')
    .values({
      lookup_hash: lookupHash,
      organization_id: organizationId,
      device_id: deviceId,
      unconfirmed_until: plusMs(now, confirmationMs),
      enrollment: JSON.stringify({
        facts,
        enrollment_secret_id: secretId,
        ip_address: change.actor.source?.ipAddress ?? null,
      }),
    })
    .execute()
  await dropOldest(tx, organizationId, deviceId)
  if (key.link_name === null) await askForLinkAgain(tx, { kid: key.kid, deviceId }, change)
}

async function dropOldest(tx: Tx, organizationId: string, deviceId: string): Promise<void> {
  const surplus = tx
    .selectFrom('node_key_lookups')
    .select('lookup_hash')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('device_id', '=', deviceId)
    .where('unconfirmed_until', 'is not', null)
    .orderBy('unconfirmed_until', 'desc')
    .orderBy('lookup_hash')
    .offset(maxUnconfirmed)
  await tx
    .deleteFrom('node_key_lookups')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('lookup_hash', 'in', surplus)
    .execute()
}
