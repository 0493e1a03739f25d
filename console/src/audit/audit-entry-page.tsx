import { auditActions } from '@muster/contract/audit-actions.ts'
import type { AuditChange } from '@muster/contract/audit-changes.ts'
import type { AuditView } from '@muster/contract/console-records.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { RecordNotices } from '../components/record-page.tsx'
import './audit.css'
import { CopyButton } from '../components/copy-button.tsx'
import { Fact } from '../components/fact.tsx'
import { Page } from '../components/page.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { actorWords } from './audit-queries.ts'
import { MovedDevices } from './moved-devices.tsx'

const route = getRouteApi('/shell/audit/$entryId')
const crumb = { to: '/audit', text: 'Audit log' } as const

export function AuditEntryPage() {
  const { entryId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const entry = useQuery(query('getAuditView', { params: { id: entryId } }))
  return (
    <Page title={`Entry ${entryId}`} crumb={crumb}>
      <div className="page detail">
        <RecordNotices record={entry} noun="entry" id={entryId} why="Entries are never deleted." />
        {entry.data && <Entry entry={entry.data} />}
        {entry.data && (
          <MovedDevices entryId={entryId} after={after} onNext={(next) => void navigate({ search: { after: next } })} />
        )}
      </div>
    </Page>
  )
}

const Changes = ({ changes }: { readonly changes: readonly AuditChange[] }) => (
  <table className="table changes">
    <thead>
      <tr>
        <th>Field</th>
        <th>Before</th>
        <th>After</th>
      </tr>
    </thead>
    <tbody>
      {changes.map(({ field, from, to }) => (
        <tr key={field}>
          <td>
            <code>{visibleText(field)}</code>
          </td>
          <td>{shown(from)}</td>
          <td>{shown(to)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

function shown(value: unknown) {
  if (value === null) return missing
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value))
}

const missing = <span className="faint">—</span>

const Entry = ({ entry }: { entry: AuditView }) => (
  <>
    <p className="audit-quote">{visibleText(entry.description)}</p>
    {entry.changes.length > 0 && <Changes changes={entry.changes} />}
    <dl className="facts section">
      {entry.action !== null && (
        <Fact name="Action">
          {auditActions[entry.action]} <code className="secondary hash">{entry.action}</code>
        </Fact>
      )}
      <Fact name="When">
        <time dateTime={entry.timestamp}>{fullTime(entry.timestamp)}</time>
      </Fact>
      <Fact name="By">
        <span className="medium ellipsis">{visibleText(entry.actor_name)}</span>
        <span className="secondary">{actorWords[entry.actor_info.actor_type]}</span>
      </Fact>
      <Fact name="E-mail">
        {entry.actor_info.actor_email === null ? missing : visibleText(entry.actor_info.actor_email)}
      </Fact>
      <Fact name="Address">{entry.ip_address === null ? missing : <code>{visibleText(entry.ip_address)}</code>}</Fact>
      <Fact name="Entry ID">
        <code>{entry.id}</code>
        <CopyButton text={entry.id} label="the entry ID" />
      </Fact>
      <Fact name="Hash">
        <code className="hash">{entry.hash}</code>
        <CopyButton text={entry.hash} label="the hash" />
      </Fact>
      <Fact name="Follows">
        <code className="hash">{entry.previous_hash}</code>
      </Fact>
    </dl>
  </>
)
