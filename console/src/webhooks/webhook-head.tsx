import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { Health } from '../components/health.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { deadlineOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { countText, pendingText } from '../developers/count-text.ts'
import { webhookViewQuery } from './webhook-queries.ts'
import { nameOf } from './with-webhook.tsx'

const whyDisabled = {
  by_admin: 'Disabled: events are not queued for it.',
  gone: 'Disabled because its receiver answered 410 Gone: events are not queued for it.',
  failing: 'Disabled because every attempt of five days failed: events are not queued for it.',
} as const

/** What every page of a webhook begins with. */
export function WebhookHead({ endpoint }: { endpoint: WebhookEndpoint }) {
  const query = useQuery(webhookViewQuery(endpoint.id))
  const view = query.data
  const { failing_since: since, last_error: error, last_delivered_at: last } = endpoint.health
  return (
    <>
      <div className="title-row">
        <h1 tabIndex={-1} className="breaks">
          {nameOf(endpoint)}
        </h1>
        {endpoint.enabled ? <Health state={endpoint.health.state} /> : <span className="pill idle">Disabled</span>}
      </div>
      <p className="row">
        <code className="ellipsis" title={endpoint.url}>
          {endpoint.url}
        </code>
        <CopyButton text={endpoint.url} label="the address" />
      </p>
      {endpoint.disabled_reason !== null && <p className="secondary">{whyDisabled[endpoint.disabled_reason]}</p>}
      {endpoint.enabled && since !== null && (
        <p className="bad">
          Not accepting events since {deadlineOf(since, Date.now())} UTC: {visibleText(error ?? '')}
        </p>
      )}
      <LoadFailure what="Webhook figures" query={query} />
      {view && (
        <dl className="fact-row">
          <Fact name="Delivered, 24 h">{countText(view.delivered_today)}</Fact>
          <Fact name="Waiting">{pendingText(view, 'waiting')}</Fact>
          <Fact name="Retrying">{pendingText(view, 'retrying')}</Fact>
          <Fact name="Gave up, 24 h" isBad={view.failed_today > 0}>
            {countText(view.failed_today)}
          </Fact>
          <Fact name="Last delivered">
            <RelativeTime time={last} missing="never" />
          </Fact>
        </dl>
      )}
      <Tabs label="Webhook">
        <Link {...asTab} to="/settings/developers/webhooks/$endpointId" params={{ endpointId: endpoint.id }}>
          Deliveries
        </Link>
        <Link {...asTab} to="/settings/developers/webhooks/$endpointId/settings" params={{ endpointId: endpoint.id }}>
          Settings
        </Link>
        <Link {...asTab} to="/settings/developers/webhooks/$endpointId/audit" params={{ endpointId: endpoint.id }}>
          Audit
        </Link>
      </Tabs>
    </>
  )
}

type FactParts = { readonly name: string; readonly isBad?: boolean; readonly children: ReactNode }

const Fact = ({ name, isBad = false, children }: FactParts) => (
  <div>
    <dt>{name}</dt>
    <dd className={isBad ? 'bad' : ''}>{children}</dd>
  </div>
)
