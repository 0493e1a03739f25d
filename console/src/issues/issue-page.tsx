import { Button } from '@mantine/core'
import type { IssueFacts } from '@muster/contract/console-issues.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useSession } from '../api/session.ts'
import { OwnerTexts } from '../checks/owner-texts.tsx'
import { statusColumn } from '../checks/row-status.ts'
import { BlockEffect } from '../components/block-effect.tsx'
import { copyText } from '../components/copy-text.ts'
import { Fact } from '../components/fact.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { StatePill } from '../components/state-shape.tsx'
import { dayOf, deadlineOf, fullTime, relativeTime } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { ExemptDialog } from './exempt-dialog.tsx'
import { issueQuery } from './issue-queries.ts'
import { issueStanding } from './issue-standing.ts'
import { isForOwner, ownerMessage } from './owner-message.ts'
import './issues.css'

const route = getRouteApi('/shell/issues/$issueId')
const crumb = { to: '/issues', text: 'Issues' } as const
const refreshed = ['issues', 'devices', 'checks'] as const

export function IssuePage() {
  const { issueId } = route.useParams()
  const issue = useQuery(issueQuery(issueId))
  return (
    <RecordPage
      record={issue}
      nouns={['issue', 'issues']}
      id={issueId}
      crumb={crumb}
      why="Its device or check may have been deleted."
    >
      {(data) => <LoadedIssue key={issueId} issue={data} />}
    </RecordPage>
  )
}

function LoadedIssue({ issue }: { issue: IssueFacts }) {
  const now = useNow()
  const title = visibleText(issue.title)
  return (
    <Page title={title} crumb={crumb} hasOwnTitle actions={<Actions issue={issue} />}>
      <div className="page detail">
        <div className="title-row">
          <h1 tabIndex={-1} className="ellipsis" title={title}>
            {title}
          </h1>
          <Pill issue={issue} now={now} />
        </div>
        <p className="secondary">
          <Consequence issue={issue} now={now} />
        </p>
        <div className="columns">
          <div className="stack main-column">
            <section aria-labelledby="issue-row">
              <h2 id="issue-row">What the check found</h2>
              <FoundRow issue={issue} />
            </section>
            <section className="section issue-texts" aria-labelledby="issue-texts">
              <div className="section-head">
                <h2 id="issue-texts">What {issue.owner === null ? 'an owner' : visibleText(issue.owner.name)} reads</h2>
                {isForOwner(issue, now) && (
                  <button
                    type="button"
                    className="plain underlined small"
                    onClick={() => void copyText(ownerMessage([issue], now), 'The message')}
                  >
                    Copy as message
                  </button>
                )}
              </div>
              <OwnerTexts rationale={issue.rationale} fixInstructions={issue.fix_instructions} />
            </section>
            <section className="section" aria-labelledby="issue-history">
              <h2 id="issue-history">History</h2>
              <Events issue={issue} />
            </section>
          </div>
          <IssueRail issue={issue} />
        </div>
      </div>
    </Page>
  )
}

const idlePills = {
  resolved: 'Resolved',
  exempted: 'Exempted',
  paused: 'Check paused',
  report_only: 'Report only',
  unowned: 'No owner',
  held: 'Block held',
} as const

function Pill({ issue, now }: { issue: IssueFacts; now: number }) {
  const standing = issueStanding(issue, now)
  if (standing === 'notified') return <StatePill standing="notified" />
  if (standing === 'blocking' || standing === 'will_block') {
    const suffix = issue.blocks_at === null ? '' : ` ${relativeTime(issue.blocks_at, now)}`
    return <StatePill standing={standing === 'blocking' ? 'blocked' : 'will_block'} suffix={suffix} />
  }
  return <span className={standing === 'resolved' ? 'pill good' : 'pill idle'}>{idlePills[standing]}</span>
}

function Consequence({ issue, now }: { issue: IssueFacts; now: number }) {
  const standing = issueStanding(issue, now)
  const sentence = consequenceOf(issue, now)
  if (standing !== 'blocking' && standing !== 'will_block') return sentence
  const owner = issue.owner === null ? 'Its owner' : visibleText(issue.owner.name)
  return (
    <>
      {sentence} <BlockEffect owner={owner} isBlocked={standing === 'blocking'} />
    </>
  )
}

function consequenceOf(issue: IssueFacts, now: number): string {
  const at = issue.blocks_at ?? ''
  switch (issueStanding(issue, now)) {
    case 'resolved':
      return `Resolved ${dayOf(issue.resolved_at ?? '', now)}; it blocks nobody.`
    case 'exempted':
      return 'It stays open and blocks nobody.'
    case 'paused':
      return 'The check is paused: the owner does not see it, and it blocks nobody.'
    case 'report_only':
      return 'The check only reports: the owner does not see it, and it blocks nobody.'
    case 'unowned':
      return 'The device has no owner, so nobody sees it and it blocks nobody.'
    case 'held':
      return 'Its block is held with others of the check, or was discarded with them: it blocks nobody. The page of the check says more.'
    case 'notified':
      return 'It notifies the owner and does not block.'
    case 'blocking':
      return 'The device is blocked until it is fixed.'
    case 'will_block':
      return `The device will be blocked ${deadlineOf(at, now)} UTC unless it is fixed.`
  }
}

const FoundRow = ({ issue }: { issue: IssueFacts }) => (
  <dl className="facts issue-rows">
    {Object.entries(issue.value)
      .filter(([column]) => column !== statusColumn)
      .map(([column, value]) => (
        <Fact key={column} name={visibleText(column)}>
          <code>{value === '' ? '—' : visibleText(value)}</code>
        </Fact>
      ))}
    <Fact name="status">
      <code>{visibleText(issue.value[statusColumn] ?? 'FAIL')}</code>
    </Fact>
  </dl>
)

type Event = { readonly key: string; readonly at: string; readonly text: string }

function eventsOf(issue: IssueFacts): Event[] {
  const events: (Event | false)[] = [
    { key: 'found', at: issue.detected_at, text: 'Found' },
    issue.resolved_at !== null && { key: 'resolved', at: issue.resolved_at, text: 'Resolved' },
    issue.exemption !== null && {
      key: 'exempted',
      at: issue.exemption.since,
      text: `The check was exempted on the device: “${visibleText(issue.exemption.reason)}”`,
    },
    ...issue.requests.map(({ id, status, requested_at }) => ({
      key: `request ${id}`,
      at: requested_at,
      text: `Its owner asked for an exemption; ${status === 'open' ? 'it waits' : `it was ${status}`}`,
    })),
    ...issue.earlier.map(({ id, detected_at, resolved_at }) => ({
      key: `issue ${id}`,
      at: detected_at,
      text: resolved_at === null ? 'The same failure was found' : 'The same failure was found, and resolved later',
    })),
  ]
  return events.filter((event) => event !== false).toSorted((one, other) => (one.at < other.at ? 1 : -1))
}

const Events = ({ issue }: { issue: IssueFacts }) => (
  <ul className="issue-events">
    {eventsOf(issue).map(({ key, at, text }) => (
      <li key={key}>
        <span>{text}</span>
        <time dateTime={at} className="secondary tabular">
          {fullTime(at)}
        </time>
      </li>
    ))}
  </ul>
)

const IssueRail = ({ issue }: { issue: IssueFacts }) => (
  <aside className="rail" aria-label="Facts">
    <dl className="facts">
      <Fact name="Device">
        <Link className="underlined ellipsis" to="/devices/$deviceId" params={{ deviceId: issue.device.id }}>
          {visibleText(issue.device.name)}
        </Link>
      </Fact>
      <Fact name="Owner">
        {issue.owner === null ? (
          <span className="faint">Not registered</span>
        ) : (
          <Link className="underlined ellipsis" to="/people/$personId" params={{ personId: issue.owner.id }}>
            {visibleText(issue.owner.name)}
          </Link>
        )}
      </Fact>
      <Fact name="Check">
        <Link className="underlined ellipsis" to="/checks/$checkId" params={{ checkId: issue.check.id }}>
          {visibleText(issue.check.name)}
        </Link>
      </Fact>
      <Fact name="Found">
        <RelativeTime time={issue.detected_at} />
      </Fact>
      <Fact name="Last checked">
        <RelativeTime time={issue.last_rechecked_at} missing="never" />
      </Fact>
      {issue.recheck_asked_at !== null && (
        <Fact name="Requested run">
          asked <RelativeTime time={issue.recheck_asked_at} />
        </Fact>
      )}
      {issue.snoozed_until !== null && (
        <Fact name="Snoozed until">
          <RelativeTime time={issue.snoozed_until} />
        </Fact>
      )}
      {issue.exemption !== null && (
        <Fact name="Exempted until">
          <RelativeTime time={issue.exemption.expires_at} missing="no end" />
        </Fact>
      )}
    </dl>
  </aside>
)

function Actions({ issue }: { issue: IssueFacts }) {
  const session = useSession()
  const [isExempting, setIsExempting] = useState(false)
  const may = (permission: 'refresh_check' | 'manage_user_requests') => session?.permissions.includes(permission)
  const recheck = useAction({
    act: () => api('createCheckRefresh', { params: { deviceId: issue.device.id }, body: { check_id: issue.check.id } }),
    refresh: refreshed,
    said: () => 'The check runs at the next check-in of the device',
  })
  const params = { deviceId: issue.device.id, checkId: issue.check.id }
  const end = useAction({
    act: () => api('endExemptionOfCheckOnDevice', { params }),
    refresh: refreshed,
    said: () => 'Exemption ended; the issue applies again',
  })
  if (issue.resolved_at !== null) return null
  return (
    <span className="row">
      {may('refresh_check') && (
        <Button
          leftSection={<Icon name="refresh" size={14} />}
          loading={recheck.isPending}
          onClick={() => recheck.mutate()}
        >
          Run check again
        </Button>
      )}
      {may('manage_user_requests') && issue.exemption !== null && (
        <Button loading={end.isPending} onClick={() => end.mutate()}>
          End the exemption
        </Button>
      )}
      {may('manage_user_requests') && issue.exemption === null && (
        <Button onClick={() => setIsExempting(true)}>Exempt…</Button>
      )}
      {isExempting && <ExemptDialog issue={issue} onClose={() => setIsExempting(false)} />}
    </span>
  )
}
