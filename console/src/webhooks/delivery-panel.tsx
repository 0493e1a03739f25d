import { Button } from '@mantine/core'
import type { WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { request } from '../api/request.ts'
import { useSession } from '../api/session.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Icon } from '../components/icon.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { SidePanel } from '../components/side-panel.tsx'
import { Mark } from '../components/state-shape.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { toast } from '../components/toasts.tsx'
import { visibleText } from '../components/visible-text.ts'
import { DeliveryOutcome } from './delivery-table.tsx'
import { deliveryQuery } from './webhook-queries.ts'

type Parts = { readonly endpoint: WebhookEndpoint; readonly deliveryId: string; readonly onClose: () => void }

export function DeliveryPanel({ endpoint, deliveryId, onClose }: Parts) {
  const delivery = useQuery(deliveryQuery(endpoint.id, deliveryId))
  return (
    <SidePanel title={`Delivery ${deliveryId}`} name="Delivery" onClose={onClose}>
      {delivery.isError && <Failure what="The delivery could not be loaded." error={delivery.error} />}
      {delivery.isPending && <SkeletonRows rows={6} />}
      {delivery.data && <LoadedDelivery endpoint={endpoint} delivery={delivery.data} />}
    </SidePanel>
  )
}

/** Indented where it is JSON; the bytes are what is copied. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function LoadedDelivery({ endpoint, delivery }: { endpoint: WebhookEndpoint; delivery: WebhookDeliveryDetails }) {
  const session = useSession()
  const mayManage = session?.permissions.includes('manage_webhooks') ?? false
  const resend = useMutation({
    mutationFn: () => request(`/webhook_endpoints/${endpoint.id}/deliveries/${delivery.id}/resend`, { method: 'POST' }),
    onSuccess: async () => {
      toast('The message is sent again, with the same id')
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
    onError: (error) => toast(error.message, 'cross'),
  })
  const [latest] = delivery.attempts
  return (
    <>
      <p className="sm t2">{fullTime(delivery.queued_at)}</p>
      <p>
        <code className="b">{delivery.event}</code>
      </p>
      <p>
        <DeliveryOutcome delivery={delivery} />
      </p>
      {delivery.last_error !== null && <p className="bad">{visibleText(delivery.last_error)}</p>}
      {mayManage && delivery.state !== 'pending' && (
        <p>
          <Button
            leftSection={<Icon name="send" size={14} />}
            loading={resend.isPending}
            onClick={() => resend.mutate()}
          >
            Send again
          </Button>
        </p>
      )}
      <h3>Body</h3>
      <CodeBlock text={indented(delivery.request_body)} label="the body" />
      {latest && (
        <>
          <h3>Headers of the latest attempt</h3>
          <dl className="kv headers">
            {Object.entries(latest.request_headers).map(([name, value]) => (
              <div className="pair" key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <code className="ell" title={value}>
                    {value}
                  </code>
                </dd>
              </div>
            ))}
          </dl>
          {latest.response !== null && latest.response !== '' && (
            <>
              <h3>Response</h3>
              <CodeBlock text={latest.response} label="the response" />
            </>
          )}
        </>
      )}
      <h3>Attempts</h3>
      {delivery.attempts.length === 0 && <p className="t2">None yet.</p>}
      <ul className="lines">
        {delivery.attempts.map(({ attempted_at: at, status, error, timings }) => (
          <li key={at} className="line">
            <Mark name={error === null ? 'tick' : 'cross'} />
            <span className="grow">
              <span className="m">{status ?? 'No answer'}</span>
              {error !== null && <span className="sm t2 block">{visibleText(error)}</span>}
            </span>
            <span className="sm t2 tn" title={fullTime(at)}>
              {clockTime(at)} · {Math.round(timings.total_ms)} ms
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
