import { getRouteApi } from '@tanstack/react-router'
import { visibleText } from '../components/visible-text.ts'
import { AuditList } from '../developers/audit-list.tsx'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { StreamActions } from './stream-actions.tsx'
import { StreamHead } from './stream-head.tsx'
import { streamsCrumb, WithStream } from './with-stream.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/audit')

export function StreamAuditPage() {
  const { streamId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <WithStream id={streamId}>
      {(stream) => (
        <Page
          title={visibleText(stream.name)}
          crumb={streamsCrumb}
          hasOwnTitle
          actions={<StreamActions stream={stream} />}
        >
          <div className="page log-head">
            <StreamHead stream={stream} />
          </div>
          <div className="page below">
            <p className="sm t3">
              Entries that name “{visibleText(stream.name)}”; those of a former name are not here.
            </p>
            <AuditList
              words={`the stream "${stream.name}"`}
              after={after}
              onPage={(next) => void navigate({ search: { after: next } })}
            />
          </div>
        </Page>
      )}
    </WithStream>
  )
}
