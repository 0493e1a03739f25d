import { Button } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf } from '../api/api.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { useKeptDays } from '../settings/setting-queries.ts'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { DeliveryTable } from './delivery-table.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookHead } from './webhook-head.tsx'
import {
  type DeliveryFilters,
  deliveriesQuery,
  deliveryFiltersInWords,
  deliveryStates,
  readDeliveryFilters,
} from './webhook-queries.ts'
import { nameOf, WithWebhook, webhooksCrumb } from './with-webhook.tsx'

const route = getRouteApi('/shell/settings/developers/webhooks/$endpointId')
const states = Object.entries(deliveryStates).map(([value, text]) => ({ value, text }))
const events = webhookEvents.map((value) => ({ value, text: value }))

export function WebhookPage() {
  const { endpointId } = route.useParams()
  return (
    <WithWebhook id={endpointId}>
      {(endpoint) => (
        <Page
          title={nameOf(endpoint)}
          crumb={webhooksCrumb}
          hasOwnTitle
          actions={<WebhookActions endpoint={endpoint} />}
        >
          <div className="page log-head">
            <WebhookHead endpoint={endpoint} />
          </div>
          <DeliveryLog key={endpoint.id} endpoint={endpoint} />
        </Page>
      )}
    </WithWebhook>
  )
}

function DeliveryLog({ endpoint }: { endpoint: WebhookEndpoint }) {
  // Read once more: the router adds what was dropped of the address again.
  const filters = readDeliveryFilters(route.useSearch())
  const navigate = route.useNavigate()
  const deliveries = useQuery(deliveriesQuery(endpoint.id, filters))
  const rows = deliveries.data?.data ?? []
  const show = (wanted: DeliveryFilters, isTyping = false) => void navigate({ search: wanted, replace: isTyping })
  const words = deliveryFiltersInWords(filters)
  const keptDays = useKeptDays('settled_deliveries')
  const { after: _after, ...kept } = filters
  const filterBy = (field: 'state' | 'kind' | 'q', value: string | undefined): DeliveryFilters => {
    const { [field]: _was, ...others } = kept
    return readDeliveryFilters({ ...others, [field]: value })
  }
  return (
    <>
      <ViewBar page="webhook_deliveries" />
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Device, owner or message id"
          onChange={(text) => show(filterBy('q', text), true)}
        />
        <FilterChip
          field="Delivery"
          isSingle
          options={states}
          chosen={filters.state ? [filters.state] : []}
          onChange={([value]) => show(filterBy('state', value))}
        />
        <FilterChip
          field="Event"
          isSingle
          options={events}
          chosen={filters.kind ? [filters.kind] : []}
          onChange={([value]) => show(filterBy('kind', value))}
        />
        <span className="grow" />
        {keptDays !== undefined && <span className="sm t3">kept {keptDays} days</span>}
        <ExportCsv
          file={addressOf('exportDeliveries', {
            params: { endpointId: endpoint.id },
            query: { state: filters.state, event: filters.kind, search: filters.q },
          })}
          filterInWords={words}
          one="delivery"
          many="deliveries"
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
          <Emptiness
            title={words === '' ? 'No deliveries yet.' : 'No deliveries match.'}
            action={words !== '' && <Button onClick={() => show({})}>Clear filters</Button>}
          >
            {words === '' ? 'Every event appears here, with what was sent and answered.' : words}
          </Emptiness>
        </div>
      )}
      {rows.length > 0 && <DeliveryTable endpointId={endpoint.id} rows={rows} filters={kept} />}
      {deliveries.data && (
        <CursorPaging
          current={filters.after ?? ''}
          next={deliveries.data.pagination.next_cursor}
          shown={rows.length}
          onNext={(after) => show({ ...kept, after })}
        />
      )}
    </>
  )
}
