import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { endLink, linkCompanion } from './link-companion.ts'
import { isDenied } from './link-rules.ts'
import { listAskedKeys } from './queries.ts'

/** What the osquery node of a device has said of the files of its companions. */
export type LinkReport = {
  deviceId: string
  /** Of the files that count. */
  names: ReadonlySet<string>
  /** When the node was asked, by the server's clock. */
  askedAtMs: number
}

/**
 * Links the keys whose files the device's osquery node has reported. Of two companions with one key the one continues whose
 * file it was. Ends the link of a key whose file has been missing for ten minutes.
 */
export async function confirmLinks(tx: Tx, report: LinkReport, context: ChangeContext): Promise<void> {
  const { deviceId, names } = report
  // Two companions of one machine: the one that was asked last stays.
  for (const key of await listAskedKeys(tx, context.organizationId, deviceId)) {
    const { kid } = key
    const isRival = key.rival_link_name !== null && names.has(key.rival_link_name)
    if (isRival) await continueAsRival(tx, kid, context)
    if (isRival || (key.link_name !== null && names.has(key.link_name))) {
      await linkCompanion(tx, { kid, deviceId }, context)
    } else if (isDenied(key, report.askedAtMs)) await endLink(tx, { kid, deviceId }, context)
  }
}

/** The epoch of the second companion becomes that of the key: no epoch of the other one is known from now on. */
export async function continueAsRival(tx: Tx, kid: string, { organizationId, now }: ChangeContext): Promise<void> {
  await tx
    .updateTable('companion_keys')
    .set((build) => ({
      epoch: build.ref('rival_epoch').$notNull(),
      previous_epoch: null,
      epoch_at: now,
      last_contact_at: now,
    }))
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .where('rival_epoch', 'is not', null)
    .execute()
}
