import type { CheckResult } from '@muster/contract/check-results.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { resultWords } from '../checks/check-words.ts'
import { byTrouble, reasonOfUnknown, settledByUpgrade } from '../checks/row-status.ts'
import { Icon } from '../components/icon.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { checkResultsQuery, openIssuesQuery } from './device-queries.ts'
import { RefreshCheck } from './refresh-check.tsx'
import { ResultRows } from './result-rows.tsx'
import './check-results.css'

type Status = CheckResult['status']

const isFine = (status: Status): boolean => status === 'passing' || status === 'inapplicable'

/** `isWhole`: it is all of its page, and each check can be run again. */
export function CheckResults({ deviceId, isWhole = false }: { deviceId: string; isWhole?: boolean }) {
  const mayRefresh = useMay('refresh_check') && isWhole
  const results = useQuery(checkResultsQuery(deviceId))
  const [isAll, setIsAll] = useState(true)
  const all = results.data?.data ?? []
  const troubled = all.filter(({ status }) => !isFine(status))
  const rows = (isAll ? all : troubled).toSorted((one, other) => byTrouble(one.status, other.status))
  return (
    <section aria-labelledby="check-results" className={isWhole ? '' : 'section'}>
      <div className="section-head">
        <h2 id="check-results">Check results</h2>
        <div className="views">
          <button type="button" className={isAll ? '' : 'on'} aria-pressed={!isAll} onClick={() => setIsAll(false)}>
            Not passing <span className="count">{troubled.length}</span>
          </button>
          <button type="button" className={isAll ? 'on' : ''} aria-pressed={isAll} onClick={() => setIsAll(true)}>
            All <span className="count">{all.length}</span>
          </button>
        </div>
      </div>
      {results.isError && (
        <Failure what="Results could not be loaded." error={results.error} onRetry={() => void results.refetch()} />
      )}
      {results.isPending && <SkeletonRows rows={6} />}
      <OldAgent results={all} />
      {results.data && rows.length === 0 && (
        <p className="secondary">{all.length === 0 ? 'No check has run on this device yet.' : 'Everything passes.'}</p>
      )}
      <ul className="results">
        {rows.map((result) => (
          <ResultItem key={result.check_id} result={result} refreshedOn={mayRefresh ? deviceId : undefined} />
        ))}
      </ul>
    </section>
  )
}

/** Which checks wait for nothing but a newer osquery. */
function OldAgent({ results }: { results: readonly CheckResult[] }) {
  const { checks, version } = settledByUpgrade(results)
  if (checks === 0) return null
  return (
    <p className="secondary">
      Upgrade osquery on this device to {version} or newer: {checks === 1 ? '1 check needs' : `${checks} checks need`}{' '}
      it to tell.
    </p>
  )
}

type ItemParts = {
  readonly result: CheckResult
  /** Where it can be run again; undefined where it may not. */
  readonly refreshedOn: string | undefined
}

function ResultItem({ result, refreshedOn }: ItemParts) {
  const { mark, word } = resultWords[result.status]
  const hasRows = result.check_result_data.length > 0
  const refresh = refreshedOn !== undefined && <RefreshCheck deviceId={refreshedOn} result={result} />
  const isBad = result.status === 'failing' || result.status === 'errored'
  const name = visibleText(result.check_name)
  const isFolded = hasRows || refresh !== false
  const line = (
    <>
      {isFolded ? <Icon name="chevronRight" size={14} /> : <span className="no-chevron" />}
      <Mark name={mark} />
      {isFolded ? (
        <span className="medium ellipsis result-name">{name}</span>
      ) : (
        <Link className="medium ellipsis result-name" to="/checks/$checkId" params={{ checkId: result.check_id }}>
          {name}
        </Link>
      )}
      <span className="faint ellipsis grow">{reasonOf(result)}</span>
      <span className={isBad ? 'bad result-word' : 'secondary result-word'}>{word}</span>
      <span className="secondary tabular result-time">
        <RelativeTime time={result.ran_at} />
      </span>
    </>
  )
  if (!isFolded) return <li className="result-line">{line}</li>
  return (
    <li>
      <details open={result.status === 'failing'}>
        <summary className="result-line">{line}</summary>
        <ResultLinks result={result} />
        {hasRows && <ResultRows result={result} />}
        {refresh}
      </details>
    </li>
  )
}

/** Below the line, which folds them: nothing that is pressed may stand within it. */
const ResultLinks = ({ result }: { result: CheckResult }) => (
  <p className="small secondary result-links">
    Check{' '}
    <Link className="underlined" to="/checks/$checkId" params={{ checkId: result.check_id }}>
      {visibleText(result.check_name)}
    </Link>
    <OwnIssues result={result} />
  </p>
)

/** What is open of the check on the device: the issue, or the list of them. */
function OwnIssues({ result: { device_id: device, check_id: check } }: { result: CheckResult }) {
  const all = useQuery(openIssuesQuery(device)).data?.data ?? []
  const own = all.filter((issue) => issue.check.id === check)
  const [first] = own
  if (first === undefined) return null
  return (
    <>
      {own.length === 1 ? ' · issue ' : ' · '}
      {own.length === 1 ? (
        <Link className="underlined" to="/issues/$issueId" params={{ issueId: first.id }}>
          {visibleText(first.title)}
        </Link>
      ) : (
        <Link className="underlined" to="/issues" search={{ device, check }}>
          {own.length} issues
        </Link>
      )}
    </>
  )
}

function reasonOf(result: CheckResult): string {
  const { status, exemption_reason: reason, exemption_expires_at: end } = result
  if (status === 'unknown') return visibleText(reasonOfUnknown(result))
  if (status === 'stale') return 'Options changed; runs at the next check-in'
  if (status === 'pending') return 'Runs at the next check-in'
  if (reason === null) return ''
  return `Exempted${end === null ? '' : ` until ${end.slice(0, 10)}`}: “${visibleText(reason)}”`
}
