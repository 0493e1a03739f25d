import { getRouteApi } from '@tanstack/react-router'
import { RecordEntries } from '../audit/record-entries.tsx'
import { WebhookTab } from './webhook-tab.tsx'

const route = getRouteApi('/shell/settings/developers/webhooks/$endpointId/audit')

export function WebhookAuditPage() {
  const { endpointId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <WebhookTab id={endpointId}>
      {(endpoint) => (
        <RecordEntries
          kind="webhook"
          id={endpoint.id}
          name={new URL(endpoint.url).host}
          after={after}
          onPage={(next) => void navigate({ search: { after: next } })}
        />
      )}
    </WebhookTab>
  )
}
