import type { WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { clockTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { JsonBlock } from '../developers/json-block.tsx'

/** Indented where it is JSON; the bytes are what is copied. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

type Parts = { readonly endpoint: WebhookEndpoint; readonly delivery: WebhookDeliveryDetails }

/** What was sent at the latest attempt; before the first, what will be. */
export function DeliveryRequest({ endpoint, delivery }: Parts) {
  const [latest] = delivery.attempts
  return (
    <section>
      <div className="section-head">
        <h2>Request</h2>
        {latest && (
          <span className="small faint">
            attempt {delivery.attempts_count} · {clockTime(latest.attempted_at)} UTC
          </span>
        )}
      </div>
      <p className="row">
        <span className="tag">POST</span>
        <code className="ellipsis" title={endpoint.url}>
          {endpoint.url}
        </code>
        <CopyButton text={endpoint.url} label="the address" />
      </p>
      {latest && <HeaderList headers={latest.request_headers} />}
      <JsonBlock json={indented(delivery.request_body)} label="the body" copied={delivery.request_body} />
      <p className="row small secondary">
        <span>
          Message <code>{delivery.message_id}</code> (the same on every attempt)
        </span>
        <CopyButton text={delivery.message_id} label="the message id" />
      </p>
      <p className="small secondary">
        <code>webhook-signature</code> is an HMAC-SHA256 of <code>id.timestamp.body</code> with the signing secret, in
        base64 (Standard Webhooks).
      </p>
    </section>
  )
}

const HeaderList = ({ headers }: { headers: Readonly<Record<string, string>> }) => (
  <dl className="facts headers">
    {Object.entries(headers).map(([name, value]) => (
      <div className="pair" key={name}>
        <dt>
          <code>{name}</code>
        </dt>
        <dd>
          <code className="ellipsis" title={visibleText(value)}>
            {visibleText(value)}
          </code>
        </dd>
      </div>
    ))}
  </dl>
)
