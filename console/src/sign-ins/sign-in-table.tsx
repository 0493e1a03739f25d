import type { SignInView } from '@muster/contract/console-records.ts'
import { signInReasons } from '@muster/contract/sign-in-reasons.ts'
import { Link } from '@tanstack/react-router'
import { type Column, Records } from '../components/records.tsx'
import { Mark, StandingShape } from '../components/state-shape.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly rows: readonly SignInView[]; readonly isOfOnePerson?: boolean }

export const SignInTable = ({ rows, isOfOnePerson = false }: Parts) => (
  <Records
    isTall
    rows={rows}
    columns={isOfOnePerson ? columnsOfPerson : columns}
    timeOf={({ timestamp }) => timestamp}
  />
)

const timeColumn: Column<SignInView> = {
  text: 'Time, UTC',
  head: 'w-96',
  className: 'tabular c-time',
  cell: ({ id, timestamp }) => (
    <Link
      to="/sign-ins/$signInId"
      params={{ signInId: id }}
      className="medium"
      data-row-link
      title={fullTime(timestamp)}
    >
      {clockTime(timestamp)}
    </Link>
  ),
}

const facts: readonly Column<SignInView>[] = [
  { text: 'Result', head: 'w-120', className: 'c-lead', cell: (row) => <Outcome row={row} /> },
  {
    text: 'Device state',
    head: 'w-150',
    className: 'c-more',
    cell: ({ initial_status: status }) => <InitialStatus status={status} />,
  },
  {
    text: 'Device',
    head: 'w-200',
    className: 'c-sub',
    cell: ({ device_name: name }) => (
      <span className="ellipsis block" title={visibleText(name ?? '')}>
        {name === null ? <span className="faint">—</span> : visibleText(name)}
      </span>
    ),
  },
  {
    text: 'From',
    head: 'w-150',
    className: 'c-more',
    cell: ({ ip_address: address, place }) => (
      <>
        <code className="secondary">{visibleText(address) || '—'}</code>
        <span className="second ellipsis">{visibleText(place ?? '')}</span>
      </>
    ),
  },
]

const columns: readonly Column<SignInView>[] = [
  timeColumn,
  { text: 'Person', className: 'c-name', cell: (row) => <Who row={row} /> },
  ...facts,
]
const columnsOfPerson: readonly Column<SignInView>[] = [
  timeColumn,
  { text: 'Application', className: 'c-name', cell: (row) => <Application row={row} /> },
  ...facts,
]

const Application = ({ row }: { row: SignInView }) => (
  <>
    <span className="ellipsis block">{visibleText(row.application_name) || <span className="faint">—</span>}</span>
    <span className="second ellipsis">{visibleText(row.browser_name)}</span>
  </>
)

const Who = ({ row }: { row: SignInView }) => (
  <>
    <span className="medium ellipsis block" title={visibleText(row.person_name)}>
      {visibleText(row.person_name) || 'Unknown person'}
    </span>
    <span className="second ellipsis">{visibleText(row.person_email)}</span>
  </>
)

const Outcome = ({ row: { result, failure_reason: reason } }: { row: SignInView }) => (
  <>
    <Result result={result} />
    {reason !== null && (
      <span className="second ellipsis" title={signInReasons[reason]}>
        {signInReasons[reason]}
      </span>
    )}
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
  if (status === 'unknown') return <span className="faint">Not known</span>
  const [standing, tone, word] = statusTones[status]
  return (
    <span className={`state ${tone}`}>
      <StandingShape standing={standing} />
      {word}
    </span>
  )
}
