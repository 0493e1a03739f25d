import type { CheckFacts } from '@muster/contract/console-checks.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { VerbButton } from '../components/verb-button.tsx'
import { visibleText } from '../components/visible-text.ts'
import { checkFactsQuery } from './check-queries.ts'
import { useCheckVerbs } from './check-verbs.tsx'
import { devices, kindWords, percentOf, platformWords, undecidedText } from './check-words.ts'
import { HeldBlocks } from './held-blocks.tsx'
import './checks.css'

const route = getRouteApi('/shell/checks/$checkId')
const crumb = { to: '/checks', text: 'Checks' } as const

export function CheckPage() {
  const { checkId } = route.useParams()
  const facts = useQuery(checkFactsQuery(checkId))
  return (
    <RecordPage record={facts} nouns={['check', 'checks']} id={checkId} crumb={crumb} why="It may have been deleted.">
      {(data) => <LoadedCheck facts={data} />}
    </RecordPage>
  )
}

function LoadedCheck({ facts }: { facts: CheckFacts }) {
  const name = visibleText(facts.name)
  const params = { checkId: facts.id }
  const { statuses } = facts
  const results = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return (
    <Page title={name} crumb={crumb} hasOwnTitle actions={<Actions facts={facts} />}>
      <div className="page check-page">
        <div className="title-row">
          <h1 tabIndex={-1} className="ellipsis" title={name}>
            {name}
          </h1>
          {facts.platforms.map((platform) => (
            <span className="tag" key={platform}>
              {platformWords[platform]}
            </span>
          ))}
          <span className="tag">{kindWords[facts.kind]}</span>
          {facts.tags.map((tag) => (
            <span className="tag ellipsis" key={tag.id}>
              {visibleText(tag.name)}
            </span>
          ))}
        </div>
        <p className="secondary">
          {standingOf(facts)} <SinceUpgrade facts={facts} />
        </p>
        <HeldBlocks checkId={facts.id} />
        <Tabs label="Parts of the check">
          <Link to="/checks/$checkId" params={params} {...asTab}>
            Results <span className="count">{results.toLocaleString('en')}</span>
          </Link>
          <Link to="/checks/$checkId/issues" params={params} {...asTab}>
            Issues <span className="count">{facts.open_issues.toLocaleString('en')}</span>
          </Link>
          <Link to="/checks/$checkId/configuration" params={params} {...asTab}>
            Configuration
          </Link>
          <Link to="/checks/$checkId/query" params={params} {...asTab}>
            Query
          </Link>
          <Link to="/checks/$checkId/history" params={params} {...asTab}>
            History
          </Link>
        </Tabs>
        <Outlet />
      </div>
    </Page>
  )
}

/** What the last upgrade of Muster changed in its answers, while that may be news. */
function SinceUpgrade({ facts: { id, upgrade } }: { facts: CheckFacts }) {
  if (upgrade === null) return null
  const { query_upgraded_at: at, newly_failing: failing, newly_passing: passing, waiting } = upgrade
  return (
    <>
      An upgrade of Muster changed the query of this check <RelativeTime time={at} />. Since then{' '}
      {failing === 0 ? 'no device fails' : `${devices(failing)} ${failing === 1 ? 'fails' : 'fail'}`} that did not fail
      before, and{' '}
      {passing === 0 ? 'none passes' : `${passing.toLocaleString('en')} ${passing === 1 ? 'passes' : 'pass'}`} that
      failed. {waiting > 0 && `${devices(waiting)} ${waiting === 1 ? 'has' : 'have'} yet to answer. `}
      <Link to="/checks/$checkId/history" params={{ checkId: id }} className="underlined">
        See what changed
      </Link>
    </>
  )
}

function Actions({ facts }: { facts: CheckFacts }) {
  const navigate = useNavigate()
  const { verbs, dialogs } = useCheckVerbs({ check: facts, onDeleted: () => void navigate({ to: '/checks' }) })
  return (
    <span className="row">
      <VerbButton verb={verbs.delete} />
      <VerbButton verb={verbs.draft} />
      <VerbButton verb={verbs.pause} />
      {verbs.resume && (
        <Link
          to="/checks/$checkId/configuration"
          params={{ checkId: facts.id }}
          search={{ resume: '1' }}
          className="line-button"
        >
          {verbs.resume.text}
        </Link>
      )}
      {dialogs}
    </span>
  )
}

/** "Passes on 306 of 347 devices (88 %). 29 fail, 11 unknown, 1 exempted." */
function standingOf(facts: CheckFacts): string {
  const { statuses, counted, passing } = facts
  if (facts.is_paused) return 'Paused: it does not run and blocks nobody. Results are from before the pause.'
  const percent = percentOf(facts)
  const share = percent === undefined ? '' : ` (${percent} %)`
  const lead =
    counted === 0
      ? 'No device has a result yet.'
      : `Passes on ${passing.toLocaleString('en')} of ${devices(counted)}${share}.`
  const parts = [
    statuses.failing > 0 && `${statuses.failing.toLocaleString('en')} fail`,
    undecidedText(facts),
    statuses.out_of_scope > 0 && `${statuses.out_of_scope.toLocaleString('en')} exempted`,
  ].filter(Boolean)
  const rest = parts.length > 0 ? ` ${parts.join(', ')}.` : ''
  const settling = facts.recomputing ? ' Updating device states after a change.' : ''
  return lead + rest + silenceOf(facts) + settling
}

const resultsOf = (count: number): string =>
  count === 1 ? '1 of these results is of a device' : `${count.toLocaleString('en')} of these results are of devices`

/** Results count as the last run left them, however long ago that was. */
const silenceOf = ({ silent, never_reported: never }: CheckFacts): string =>
  [silent > 0 && ` ${resultsOf(silent)} not seen for 7 days.`, never > 0 && ` ${resultsOf(never)} that never reported.`]
    .filter(Boolean)
    .join('')
