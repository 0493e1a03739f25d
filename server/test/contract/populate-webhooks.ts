import { chosenWebhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { generateSecret, sealSecret } from '../../src/signals/webhooks/endpoint-secret.ts'
import { makeIn } from '../support/make.ts'
import { webhookRowsIn } from '../support/webhook-rows.ts'
import { minute, nameOf, numbers } from './plenty.ts'
import type { Parts } from './populate-requests.ts'

const states = ['failed', 'delivered', 'pending'] as const

/** Webhook endpoints, the first of them with a log of every state. */
export async function populateWebhooks({ harness, organizationId, keep, devices }: Parts): Promise<void> {
  const [make, rows] = [makeIn(harness.database), webhookRowsIn(harness.database)]
  for (const index of numbers) {
    const isDisabled = index % 3 === 2
    const endpoint = await make.webhookEndpoint(organizationId, {
      url: `https://hooks${index}.example.com/muster`,
      description: index % 2 === 0 ? `For ${nameOf(index)}` : null,
      events: chosenWebhookEvents.slice(index, index + 2),
      created_at: minute(index),
      ...(isDisabled && { disabled_at: minute(index), disabled_reason: 'by_admin' }),
    })
    const place = { organizationId, endpointId: endpoint.id }
    await harness.db
      .updateTable('webhook_endpoints')
      .set({ sealed_secret: sealSecret(harness.secrets, generateSecret(), place) })
      .where('organization_id', '=', organizationId)
      .where('id', '=', endpoint.id)
      .execute()
    keep('webhook_endpoints', endpoint.id)
    if (index > 0) continue
    for (const number of numbers) {
      const state = states[number % states.length] ?? 'pending'
      const delivery = await rows.delivery(endpoint, {
        ...{ state, queued_at: minute(number), attempts: 1, device_id: devices[number]?.id ?? null },
        event: chosenWebhookEvents[number % 4] ?? 'issues.new',
        last_status: [503, 200, null][number % 3] ?? null,
      })
      keep('deliveries', delivery.id)
      await rows.attempt(delivery, { status: 503, error: 'The endpoint answered 503', response: nameOf(number) })
    }
  }
}
