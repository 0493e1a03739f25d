import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { linkNameAt } from './link-name.ts'

type Asked = { kid: string; deviceId: string }

/** Asks the device's osquery node for the file of a key that is not linked. */
export const askForLink = (tx: Tx, asked: Asked, context: ChangeContext): Promise<void> =>
  ask(tx, asked, { status: 'linking', device_id: asked.deviceId }, context)

/** Asks for the file of a key that is linked, which stays so meanwhile. */
export const askForLinkAgain = (tx: Tx, asked: Asked, context: ChangeContext): Promise<void> =>
  ask(tx, asked, {}, context)

async function ask(
  tx: Tx,
  { kid, deviceId }: Asked,
  change: { status?: 'linking'; device_id?: string },
  { organizationId, now }: ChangeContext,
): Promise<void> {
  await tx
    .updateTable('companion_keys')
    .set({ ...change, link_name: linkNameAt(now) })
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', '=', kid)
    .execute()
  await queueAgentNotice(tx, organizationId, deviceId, now)
}
