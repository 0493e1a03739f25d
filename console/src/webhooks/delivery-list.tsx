import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useKeptDays } from '../api/setting-facts.ts'
import { LoadFailure } from '../components/notices.tsx'
import { Mark } from '../components/state-shape.tsx'
import { clockTime, dayOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { countText } from '../developers/count-text.ts'
import { markOf } from './delivery-table.tsx'
import { type DeliveryFilters, deliveriesQuery, webhookViewQuery } from './webhook-queries.ts'

type Parts = { readonly endpointId: string; readonly filters: DeliveryFilters; readonly openId: string }

/** The log beside one delivery; what it is narrowed to is that of the log. */
export function DeliveryList({ endpointId, filters, openId }: Parts) {
  const deliveries = useQuery(deliveriesQuery(endpointId, filters))
  const view = useQuery(webhookViewQuery(endpointId)).data
  const keptDays = useKeptDays('settled_deliveries')
  const { state: _state, after: _after, ...kept } = filters
  const tabs = [
    { state: undefined, text: 'All', count: undefined },
    { state: 'pending', text: 'Pending', count: view && view.waiting + view.retrying },
    { state: 'failed', text: 'Gave up', count: view?.failed },
  ] as const
  return (
    <nav className="delivery-list" aria-label="Deliveries">
      <div className="section-head">
        <h2>Deliveries</h2>
        {keptDays !== undefined && <span className="small faint">kept {keptDays} days</span>}
      </div>
      <div className="views">
        {tabs.map(({ state, text, count }) => (
          <Link
            key={text}
            to="."
            search={state === undefined ? kept : { ...kept, state }}
            className={filters.state === state ? 'on' : ''}
          >
            {text} {count !== undefined && <span className="count">{countText(count)}</span>}
          </Link>
        ))}
      </div>
      <LoadFailure what="Deliveries" query={deliveries} />
      <ul>
        {deliveries.data?.data.map((delivery) => (
          <li key={delivery.id}>
            <Link
              to="/settings/developers/webhooks/$endpointId/deliveries/$deliveryId"
              params={{ endpointId, deliveryId: delivery.id }}
              search={filters}
              className={delivery.id === openId ? 'delivery-item selected' : 'delivery-item'}
              aria-current={delivery.id === openId ? 'true' : undefined}
              data-row-link
            >
              <Mark name={markOf(delivery)} />
              <span className="grow">
                <code className="ellipsis block">{delivery.event}</code>
                <span className="small secondary ellipsis block">
                  {delivery.device_name === null
                    ? dayOf(delivery.queued_at, Date.now())
                    : visibleText(delivery.device_name)}
                </span>
              </span>
              <span className="delivery-item-end">
                <span className={delivery.state === 'failed' ? 'medium bad' : 'secondary'}>
                  {delivery.last_status ?? '—'}
                </span>
                <span className="small secondary tabular">{clockTime(delivery.queued_at).slice(0, 5)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {deliveries.data?.data.length === 0 && <p className="secondary delivery-none">No deliveries match.</p>}
    </nav>
  )
}
