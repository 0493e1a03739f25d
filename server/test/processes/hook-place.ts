import type { Tx } from '../../src/base/db/transact.ts'
import { transact } from '../../src/base/db/transact.ts'
import { queueWebhooks } from '../../src/signals/webhook-ledger/queue-webhooks.ts'
import { openHookReceiver } from '../support/hook-receivers.ts'
import { openReceiverPlace, type ReceiverPlace } from './receiver-place.ts'

export type HookPlace = ReturnType<typeof hooksIn>

/** A device whose status changes; `name` is how receivers tell the change from others. */
type NamedChange = { deviceId: string; name: string }

export const openHookPlace = async (...parts: Parameters<typeof openReceiverPlace>): Promise<HookPlace> =>
  hooksIn(await openReceiverPlace(...parts))

export const queueNamedChanges = (tx: Tx, organizationId: string, changes: readonly NamedChange[]): Promise<void> => {
  const at = new Date().toISOString()
  const messages = changes.map(({ deviceId, name }) => ({
    event: 'device_trust.status_changed' as const,
    data: {
      ...{ device_id: Number(deviceId), device_name: name, device_status: 'good' as const },
      device_url: `https://muster.test/devices/${deviceId}`,
    },
    ...{ deviceId, orderedBy: deviceId, cause: 'test', at },
  }))
  return queueWebhooks(tx, organizationId, messages)
}

/** Webhook endpoints in a place, each with a receiver. */
export function hooksIn(receiverPlace: ReceiverPlace) {
  const { place, server, organizationId, db, receiving } = receiverPlace
  const pending = () =>
    db.selectFrom('webhook_deliveries').where('organization_id', '=', organizationId).where('state', '=', 'pending')
  return {
    ...receiverPlace,
    async addEndpoint() {
      const receiver = await receiving(openHookReceiver())
      const body = { url: receiver.localUrl, events: ['device_trust.status_changed'] }
      const made = await server.ask('POST', '/webhook_endpoints', { key: place.key, body })
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      const { id, secret } = made.body
      return { receiver, endpointId: String(id), secret: String(secret) }
    },
    /** One message of each device; resolves once it is committed. */
    change: (deviceIds: readonly string[], name = 'Mac'): Promise<void> =>
      transact(db, (tx) =>
        queueNamedChanges(
          tx,
          organizationId,
          deviceIds.map((deviceId) => ({ deviceId, name })),
        ),
      ),
    async countPending(): Promise<number> {
      const { count } = await pending()
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
