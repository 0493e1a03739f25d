import { Button } from '@mantine/core'
import type { WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { Icon } from '../components/icon.tsx'
import { useNow } from '../components/relative-time.tsx'
import { toast } from '../components/toasts.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = { readonly endpoint: WebhookEndpoint; readonly delivery: WebhookDeliveryDetails }

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a shell sends it; what is masked has to be filled in. */
function curlOf({ endpoint, delivery }: Parts): string {
  const headers = Object.entries(delivery.attempts[0]?.request_headers ?? { 'content-type': 'application/json' })
  return [
    `curl -X POST ${quoted(endpoint.url)}`,
    ...headers
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(delivery.request_body)}`,
  ].join(' \\\n  ')
}

/** What is due already is on its way. */
const canBeSent = ({ state, attempts_count: count, next_attempt_at: next }: WebhookDeliveryDetails, now: number) =>
  state !== 'pending' || (count > 0 && next !== null && Date.parse(next) > now)

export function DeliveryActions({ endpoint, delivery }: Parts) {
  const navigate = useNavigate()
  const now = useNow()
  const isRetried = delivery.state === 'pending'
  const resend = useAction({
    act: () => api('resendWebhookDelivery', { params: { endpointId: endpoint.id, deliveryId: delivery.id } }),
    refresh: ['webhooks'],
    said: () =>
      isRetried ? 'The message is sent now; its schedule stays' : 'The message is sent again, with the same id',
    onDone: ({ id }) =>
      void navigate({
        to: '/settings/developers/webhooks/$endpointId/deliveries/$deliveryId',
        params: { endpointId: endpoint.id, deliveryId: id },
      }),
  })
  const copy = async () => {
    await navigator.clipboard.writeText(curlOf({ endpoint, delivery }))
    toast('The request is copied')
  }
  return (
    <>
      <Button className="wide-only" leftSection={<Icon name="copy" size={14} />} onClick={() => void copy()}>
        Copy as curl
      </Button>
      {canBeSent(delivery, now) && endpoint.enabled && (
        <Button
          variant="filled"
          leftSection={<Icon name="send" size={14} />}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          Send again
        </Button>
      )}
    </>
  )
}
