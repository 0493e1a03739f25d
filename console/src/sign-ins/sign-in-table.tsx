import type { SignInView } from '@muster/contract/console-records.ts'
import { Link } from '@tanstack/react-router'
import { ByDay } from '../components/by-day.tsx'
import { Mark, StandingShape } from '../components/state-shape.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly rows: readonly SignInView[]; readonly isOfOnePerson?: boolean }

export const SignInTable = ({ rows, isOfOnePerson = false }: Parts) => (
  <>
    <thead>
      <tr>
        <th className="w-96">Time, UTC</th>
        <th>{isOfOnePerson ? 'Application' : 'Person'}</th>
        <th className="w-120">Result</th>
        <th className="w-150">Device state</th>
        <th className="w-200">Device</th>
        <th className="w-150">From</th>
      </tr>
    </thead>
    <tbody>
      <ByDay rows={rows} timeOf={({ timestamp }) => timestamp} columns={6}>
        {(row) => (
          <tr className="tall">
            <td className="tn c-time">
              <Link
                to="/sign-ins/$signInId"
                params={{ signInId: row.id }}
                className="m"
                data-row-link
                title={fullTime(row.timestamp)}
              >
                {clockTime(row.timestamp)}
              </Link>
            </td>
            <td className="c-name">{isOfOnePerson ? <Application row={row} /> : <Who row={row} />}</td>
            <td className="c-lead">
              <Result result={row.result} />
            </td>
            <td className="c-more">
              <InitialStatus status={row.initial_status} />
            </td>
            <td className="c-sub">
              <span className="ell block" title={visibleText(row.device_name ?? '')}>
                {row.device_name === null ? <span className="t3">—</span> : visibleText(row.device_name)}
              </span>
            </td>
            <td className="c-more">
              <code className="t2">{visibleText(row.ip_address) || '—'}</code>
              <span className="second ell">{visibleText(row.place ?? '')}</span>
            </td>
          </tr>
        )}
      </ByDay>
    </tbody>
  </>
)

const Application = ({ row }: { row: SignInView }) => (
  <>
    <span className="ell block">{visibleText(row.application_name) || <span className="t3">—</span>}</span>
    <span className="second ell">{visibleText(row.browser_name)}</span>
  </>
)

const Who = ({ row }: { row: SignInView }) => (
  <>
    <span className="m ell block" title={visibleText(row.person_name)}>
      {visibleText(row.person_name) || 'Unknown person'}
    </span>
    <span className="second ell">{visibleText(row.person_email)}</span>
  </>
)

export const Result = ({ result }: { result: 'Success' | 'Fail' }) => (
  <span className={result === 'Fail' ? 'delivery bad' : 'delivery'}>
    <Mark name={result === 'Fail' ? 'cross' : 'tick'} />
    {result === 'Fail' ? 'Failed' : 'Signed in'}
  </span>
)

const statusTones = {
  all_good: ['good', 'good', 'All good'],
  will_block: ['will_block', 'will', 'Will Block'],
  blocked: ['blocked', 'blocked', 'Blocked'],
} as const

export function InitialStatus({ status }: { status: SignInView['initial_status'] }) {
  if (status === 'unknown') return <span className="t3">Not known</span>
  const [standing, tone, word] = statusTones[status]
  return (
    <span className={`state ${tone}`}>
      <StandingShape standing={standing} />
      {word}
    </span>
  )
}
