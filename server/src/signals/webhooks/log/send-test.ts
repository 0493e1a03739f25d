import type { WebhookEvent } from '@muster/contract/webhook-event-summaries.ts'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import type { ChangeContext } from '../../../base/change-context.ts'
import type { Tx } from '../../../base/db/transact.ts'
import { orNotFound } from '../../../base/errors.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { lockDestination } from '../../webhook-ledger/log/find-destination.ts'
import { queueForEndpoint } from '../../webhook-ledger/queue-webhooks.ts'
import { describeDestination, refuseDisabled } from './describe-destination.ts'

type Test = {
  endpointId: string
  message: string | undefined
  /** `webhook.test` unless given; others have made-up values. */
  event?: WebhookEvent | undefined
}

const greeting = 'This is a test event from Muster. No action is needed.'

/** Queues a test for an endpoint alone, whatever events it chose; returns the id of the delivery. */
export async function sendTest(
  tx: Tx,
  { message = greeting, event = 'webhook.test', endpointId }: Test,
  context: ChangeContext,
): Promise<string> {
  const { organizationId, now } = context
  const destination = orNotFound(await lockDestination(tx, { organizationId, endpointId }))
  refuseDisabled(destination)
  const data = event === 'webhook.test' ? { message } : webhookExample(event).data
  const said = { event, data, deviceId: null, orderedBy: null, cause: context.cause, at: now } as const
  const deliveryId = await queueForEndpoint(tx, { organizationId, endpointId, message: said })
  const description = `Sent ${event === 'webhook.test' ? 'a test event' : `an example of the event "${event}"`} to ${describeDestination(destination)}.`
  await recordAudit(tx, { action: 'webhook.tested', about: { webhook: endpointId }, description }, context)
  return deliveryId
}
