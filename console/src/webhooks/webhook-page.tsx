import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CopyButton } from '../components/copy-button.tsx'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Health } from '../components/health.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import {
  type DeliveryFilters,
  deliveriesQuery,
  deliveryStates,
  readDeliveryFilters,
  webhookQuery,
} from './webhook-queries.ts'

const route = getRouteApi('/shell/settings/developers/webhooks/$endpointId')
const crumb = { to: '/settings/developers/webhooks', text: 'Webhooks' } as const
const options = Object.entries(deliveryStates).map(([value, text]) => ({ value, text }))

export function WebhookPage() {
  const { endpointId } = route.useParams()
  const endpoint = useQuery(webhookQuery(endpointId))
  if (endpoint.data) return <LoadedWebhook endpoint={endpoint.data} />
  return (
    <Page title="Webhook" crumb={crumb}>
      <div className="page">
        {endpoint.isError && (
          <Failure
            what="The webhook could not be loaded."
            error={endpoint.error}
            onRetry={() => void endpoint.refetch()}
          />
        )}
        {endpoint.isPending && <SkeletonRows rows={4} />}
      </div>
    </Page>
  )
}

function LoadedWebhook({ endpoint }: { endpoint: WebhookEndpoint }) {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const deliveries = useQuery(deliveriesQuery(endpoint.id, filters))
  const rows = deliveries.data?.data ?? []
  const show = (wanted: DeliveryFilters) => void navigate({ search: wanted })
  const { delivery: open, ...withoutDelivery } = filters
  const name = visibleText(endpoint.description ?? new URL(endpoint.url).host)
  return (
    <Page title={name} crumb={crumb} hasOwnTitle>
      <div className={open === undefined ? 'with-panel' : 'with-panel open'}>
        <div className="panel-main">
          <div className="page log-head">
            <div className="title-row">
              <h1 tabIndex={-1}>{name}</h1>
              <Health state={endpoint.health.state} />
            </div>
            <p className="row">
              <code className="ell">{endpoint.url}</code>
              <CopyButton text={endpoint.url} label="the address" />
            </p>
            {endpoint.health.last_error !== null && <p className="bad">{visibleText(endpoint.health.last_error)}</p>}
          </div>
          <search className="filterbar">
            <FilterChip
              field="Delivery"
              isSingle
              options={options}
              chosen={filters.state ? [filters.state] : []}
              onChange={([state]) => show(readDeliveryFilters({ state }))}
            />
          </search>
          {deliveries.isError && (
            <div className="page">
              <Failure
                what="Deliveries could not be loaded."
                error={deliveries.error}
                onRetry={() => void deliveries.refetch()}
              />
            </div>
          )}
          {deliveries.isPending && <SkeletonRows rows={8} />}
          {deliveries.data && rows.length === 0 && (
            <div className="page">
              <Emptiness title={filters.state ? 'No delivery matches.' : 'No delivery yet.'}>
                {filters.state ? '' : 'Every event of this webhook appears here, with all that was sent and answered.'}
              </Emptiness>
            </div>
          )}
          {rows.length > 0 && <DeliveryTable rows={rows} filters={filters} />}
          {deliveries.data && (
            <CursorPaging
              current={filters.after ?? ''}
              next={deliveries.data.pagination.next_cursor}
              shown={rows.length}
              onNext={(after) => show({ ...withoutDelivery, after })}
            />
          )}
        </div>
        {open !== undefined && (
          <DeliveryPanel endpoint={endpoint} deliveryId={open} onClose={() => show(withoutDelivery)} />
        )}
      </div>
    </Page>
  )
}
