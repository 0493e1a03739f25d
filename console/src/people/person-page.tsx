import type { Person } from '@muster/contract/people.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Fact } from '../components/fact.tsx'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { OwnAccounts } from './own-accounts.tsx'
import { OwnCodes } from './own-codes.tsx'
import { OwnDevices, ownDevicesQuery } from './own-devices.tsx'
import { OwnEntries } from './own-entries.tsx'
import { OwnIssues } from './own-issues.tsx'
import { OwnSignIns } from './own-sign-ins.tsx'
import { PersonActions } from './person-actions.tsx'
import { personDetailQuery, personQuery } from './person-queries.ts'

const route = getRouteApi('/shell/people/$personId')
const crumb = { to: '/people', text: 'People' } as const

export function PersonPage() {
  const { personId } = route.useParams()
  const person = useQuery(personQuery(personId))
  // Asked for beside the record: it decides what else is read.
  useQuery(personDetailQuery(personId))
  return (
    <RecordPage record={person} nouns={['person', 'people']} id={personId} crumb={crumb}>
      {(data) => <LoadedPerson key={personId} person={data} />}
    </RecordPage>
  )
}

function LoadedPerson({ person }: { person: Person }) {
  const name = visibleText(person.name)
  const detail = useQuery(personDetailQuery(person.id))
  // Who is out has no devices, and the lists that lead from them are not there.
  const isHere = detail.isError || detail.data?.deprovisioned_at === null
  return (
    <Page title={name} crumb={crumb} hasOwnTitle>
      <div className="page detail">
        <div className="title-row">
          <h1 tabIndex={-1} className="ellipsis" title={name}>
            {name}
          </h1>
          <PersonActions person={person} />
        </div>
        <Standing personId={person.id} />
        <div className="columns">
          <div className="stack main-column">
            {isHere && <OwnDevices personId={person.id} />}
            {isHere && <OwnIssues personId={person.id} />}
            <OwnSignIns personId={person.id} />
            {isHere && <OwnCodes personId={person.id} name={name} />}
            <OwnAccounts person={person} />
            <OwnEntries personId={person.id} name={person.name} />
          </div>
          <PersonFacts person={person} isHere={isHere} />
        </div>
      </div>
    </Page>
  )
}

/** What the person's own state and their devices mean for signing in. */
function Standing({ personId }: { personId: string }) {
  const devices = useQuery(ownDevicesQuery(personId))
  const detail = useQuery(personDetailQuery(personId))
  const rows = devices.data?.data
  if (detail.data?.deprovisioned_at) {
    return (
      <p className="secondary">
        Deprovisioned <RelativeTime time={detail.data.deprovisioned_at} />.
        {detail.data.is_provided && ' Only your identity provider can restore this person.'}
      </p>
    )
  }
  if (rows === undefined) return <p className="secondary">&nbsp;</p>
  const blocked = rows.filter(({ standing }) => standing === 'blocked').length
  if (rows.length === 0) return <p className="secondary">This person has no registered device.</p>
  if (blocked === 0) return <p className="secondary">No device of this person is blocked.</p>
  if (blocked === rows.length) {
    return (
      <p className="secondary">
        {rows.length === 1 ? 'The only device' : `All ${rows.length} devices`} of this person{' '}
        {rows.length === 1 ? 'is' : 'are'} blocked.
      </p>
    )
  }
  return (
    <p className="secondary">
      {blocked} of {rows.length} devices of this person {blocked === 1 ? 'is' : 'are'} blocked.
    </p>
  )
}

function PersonFacts({ person, isHere }: { person: Person; isHere: boolean }) {
  return (
    <aside className="rail" aria-label="Facts">
      <dl className="facts">
        <Fact name="E-mail">
          <span className="ellipsis" title={visibleText(person.email)}>
            {visibleText(person.email)}
          </span>
          <CopyButton text={person.email} label="the e-mail address" />
        </Fact>
        <Fact name="User names">
          {person.usernames.length === 0 ? (
            <span className="faint">—</span>
          ) : (
            <span className="ellipsis" title={person.usernames.map(visibleText).join(', ')}>
              {person.usernames.map(visibleText).join(', ')}
            </span>
          )}
        </Fact>
        <Fact name="Person ID">
          <code>{person.id}</code>
          <CopyButton text={person.id} label="the person ID" />
        </Fact>
        {isHere && (
          <Fact name="Groups">
            <OwnGroups personId={person.id} />
          </Fact>
        )}
        <Fact name="Managed by">
          <Manager personId={person.id} />
        </Fact>
        <Fact name="Last sign-in">
          <RelativeTime time={person.last_authenticated_at} missing="never" />
        </Fact>
        <Fact name="Provisioned">
          <RelativeTime time={person.created_at} />
        </Fact>
      </dl>
    </aside>
  )
}

/** Who deprovisions and restores the person. */
function Manager({ personId }: { personId: string }) {
  const { data } = useQuery(personDetailQuery(personId))
  if (data === undefined) return <span className="faint">…</span>
  return <span>{data.is_provided ? 'your identity provider (SCIM)' : 'your administrators'}</span>
}

function OwnGroups({ personId }: { personId: string }) {
  const groups = useQuery(query('listGroupsOfPerson', { params: { personId }, query: { per_page: 100 } }))
  const names = groups.data?.data ?? []
  return (
    <span className="tags">
      {names.length === 0 && (
        <span className="faint">{groups.isError ? 'could not be loaded' : groups.data ? '—' : '…'}</span>
      )}
      {names.map(({ id, name }) => (
        <Link key={id} to="/groups/people/$groupId" params={{ groupId: id }} className="tag" title={visibleText(name)}>
          {visibleText(name)}
        </Link>
      ))}
    </span>
  )
}
