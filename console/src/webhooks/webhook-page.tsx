import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { csvAddressOf } from '../api/api.ts'
import { useKeptDays } from '../api/setting-facts.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { ListView, optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import '../developers/developers.css'
import { DeliveryTable } from './delivery-table.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookHead } from './webhook-head.tsx'
import { deliveriesQuery, deliveryFiltersInWords, deliveryStates, readDeliveryFilters } from './webhook-queries.ts'
import { nameOf, WithWebhook, webhooksCrumb } from './with-webhook.tsx'

const route = getRouteApi('/shell/settings/developers/webhooks/$endpointId')
const chips = [
  { field: 'Delivery', name: 'state', options: optionsOf(deliveryStates) },
  { field: 'Event', name: 'kind', options: webhookEvents.map((value) => ({ value, text: value })) },
]

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
  const keptDays = useKeptDays('settled_deliveries')
  const { after: _after, ...kept } = filters
  return (
    <>
      <ViewBar page="webhook_deliveries" />
      <ListView
        list={useQuery(deliveriesQuery(endpoint.id, filters))}
        name="Deliveries"
        nouns={['delivery', 'deliveries']}
        filters={filters}
        read={readDeliveryFilters}
        inWords={deliveryFiltersInWords}
        onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
        searched="Device, owner or message ID"
        chips={chips}
        choices={
          <>
            <span className="grow" />
            {keptDays !== undefined && <span className="small faint">kept {keptDays} days</span>}
            <ExportCsv
              file={csvAddressOf('listDeliveryViews', {
                params: { endpointId: endpoint.id },
                query: { state: filters.state, event: filters.kind, search: filters.q },
              })}
              filterInWords={deliveryFiltersInWords(filters)}
              one="delivery"
              many="deliveries"
            />
          </>
        }
        empty={
          <Emptiness title="No deliveries yet.">Every event appears here, with what was sent and answered.</Emptiness>
        }
      >
        {(rows) => <DeliveryTable endpointId={endpoint.id} rows={rows} filters={kept} />}
      </ListView>
    </>
  )
}
