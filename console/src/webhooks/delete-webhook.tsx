import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { countText } from '../developers/count-text.ts'
import { webhookViewQuery } from './webhook-queries.ts'
import { nameOf } from './with-webhook.tsx'

type Parts = {
  readonly endpoint: WebhookEndpoint
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteWebhook({ endpoint, isOpen, onClose, onDeleted }: Parts) {
  const waiting = useQuery(webhookViewQuery(endpoint.id)).data?.waiting
  const name = nameOf(endpoint)
  const remove = useAction({
    act: () => api('deleteWebhookEndpoint', { params: { endpointId: endpoint.id } }),
    hasForm: true,
    said: () => `“${name}” is deleted`,
    onDone: onDeleted,
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      question={`Delete “${name}”?`}
      consequences={[
        `${new URL(endpoint.url).host} receives nothing from now on.`,
        waiting === 0
          ? 'No messages are waiting.'
          : waiting === undefined
            ? 'Waiting events are not sent.'
            : waiting === 1
              ? '1 waiting message is not sent.'
              : `${countText(waiting)} waiting messages are not sent.`,
        'Its delivery log and secret are deleted. This cannot be undone.',
      ]}
      stays="The audit log stays."
      verb="Delete the webhook"
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside}
    />
  )
}
