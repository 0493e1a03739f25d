import { Button, Modal } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { type WebhookEvent, webhookEventSummaries, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }

export const TestDialog = ({ endpoint, isOpen, onClose }: Parts & { readonly isOpen: boolean }) => (
  <Modal opened={isOpen} onClose={onClose} title="Send a test event" withCloseButton={false}>
    {isOpen && <TestForm endpoint={endpoint} onClose={onClose} />}
  </Modal>
)

const inOrder = [...webhookEvents].sort((left, right) =>
  left === 'webhook.test' ? -1 : right === 'webhook.test' ? 1 : left.localeCompare(right),
)

function TestForm({ endpoint, onClose }: Parts) {
  const navigate = useNavigate()
  const [event, setEvent] = useState<WebhookEvent>('webhook.test')
  const test = useAction({
    act: () => api('testWebhookEndpoint', { params: { endpointId: endpoint.id }, body: { event } }),
    refresh: ['webhooks'],
    hasForm: true,
    said: () => 'Test sent',
    onDone: ({ id }) => {
      onClose()
      void navigate({
        to: '/settings/developers/webhooks/$endpointId/deliveries/$deliveryId',
        params: { endpointId: endpoint.id, deliveryId: id },
      })
    },
  })
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault()
    test.mutate()
  }
  return (
    <form className="dialog-form" onSubmit={submit} noValidate>
      <label className="field">
        <span className="medium">Event</span>
        <select
          className="select tall-select"
          value={event}
          data-autofocus
          onChange={({ currentTarget: { value } }) => setEvent(webhookEvents.find((one) => one === value) ?? event)}
        >
          {inOrder.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <span className="small faint">{webhookEventSummaries[event]}</span>
      </label>
      <p className="secondary">
        {event === 'webhook.test'
          ? 'A test message. Receivers can ignore it.'
          : 'An example with made-up values, signed like a real one: a receiver that acts on this event will act on it.'}{' '}
        Sent to this webhook only.
      </p>
      <FormFault error={test.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={test.isPending}>
          Send the test
        </Button>
      </div>
    </form>
  )
}
