import { getRouteApi } from '@tanstack/react-router'
import { visibleText } from '../components/visible-text.ts'
import { AuditList } from '../developers/audit-list.tsx'
import { StreamTab } from './stream-tab.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/audit')

export function StreamAuditPage() {
  const { streamId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <StreamTab id={streamId}>
      {(stream) => (
        <>
          <p className="sm t3">Entries that name “{visibleText(stream.name)}”; those of a former name are not here.</p>
          <AuditList
            words={`the stream "${stream.name}"`}
            after={after}
            onPage={(next) => void navigate({ search: { after: next } })}
          />
        </>
      )}
    </StreamTab>
  )
}
