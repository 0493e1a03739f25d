import { getRouteApi } from '@tanstack/react-router'
import { RecordEntries } from '../audit/record-entries.tsx'
import { StreamTab } from './stream-tab.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/audit')

export function StreamAuditPage() {
  const { streamId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <StreamTab id={streamId}>
      {(stream) => (
        <RecordEntries
          kind="stream"
          id={stream.id}
          name={stream.name}
          after={after}
          onPage={(next) => void navigate({ search: { after: next } })}
        />
      )}
    </StreamTab>
  )
}
