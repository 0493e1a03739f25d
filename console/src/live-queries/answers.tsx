import { Button } from '@mantine/core'
import type { LiveAnswerView } from '@muster/contract/console-queries.ts'
import type { LiveQueryCampaign } from '@muster/contract/live-queries.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Scroller } from '../components/scroller.tsx'
import { visibleText } from '../components/visible-text.ts'
import { type AnswerKind, answersQuery } from './live-query-queries.ts'

const mostRows = 1_000

/** What came in so far, devices that could not run the SQL apart. */
export function Answers({ query }: { query: LiveQueryCampaign }) {
  const [kind, setKind] = useState<AnswerKind>('rows')
  const counts = { rows: query.successful_devices_count, errors: query.errored_devices_count }
  const answers = useInfiniteQuery(answersQuery(query.id, kind, counts[kind]))
  const found = answers.data?.pages.flatMap(({ data }) => data)
  return (
    <section aria-labelledby="answers" className="sec">
      <div className="sech">
        <h2 id="answers">Answers</h2>
        <div className="views">
          <button
            type="button"
            className={kind === 'rows' ? 'on' : ''}
            aria-pressed={kind === 'rows'}
            onClick={() => setKind('rows')}
          >
            Rows <span className="n">{counts.rows}</span>
          </button>
          <button
            type="button"
            className={kind === 'errors' ? 'on' : ''}
            aria-pressed={kind === 'errors'}
            onClick={() => setKind('errors')}
          >
            Errors <span className="n">{counts.errors}</span>
          </button>
        </div>
      </div>
      {answers.isError && <Failure what="Answers could not be loaded." error={answers.error} />}
      {found === undefined && !answers.isError && <SkeletonRows rows={4} />}
      {found && kind === 'errors' && <Errors answers={found} />}
      {found && kind === 'rows' && <Rows answers={found} isWaiting={query.waiting_devices_count > 0} />}
      {answers.hasNextPage && (
        <p>
          <Button loading={answers.isFetchingNextPage} onClick={() => void answers.fetchNextPage()}>
            Show more devices
          </Button>
        </p>
      )}
    </section>
  )
}

const DeviceLink = ({ answer }: { answer: LiveAnswerView }) => (
  <Link to="/devices/$deviceId" params={{ deviceId: answer.device_id }} className="m">
    {visibleText(answer.device_name)}
  </Link>
)

function Rows({ answers, isWaiting }: { answers: readonly LiveAnswerView[]; isWaiting: boolean }) {
  const all = answers.flatMap((answer) => answer.results.map((row, index) => ({ answer, row, index })))
  const shown = all.slice(0, mostRows)
  const columns = [...new Set(shown.flatMap(({ row }) => Object.keys(row)))]
  const without = answers.filter(({ results }) => results.length === 0).length
  const warned = answers.filter(({ warning_message: warning }) => warning !== null).length
  if (all.length === 0) {
    return (
      <p className="t2">
        {answers.length > 0
          ? 'No device has a row.'
          : isWaiting
            ? 'No device has answered yet.'
            : 'There is no answer.'}
      </p>
    )
  }
  return (
    <>
      <Scroller name="Rows that devices answered">
        <table className="t c answer-table">
          <thead>
            <tr>
              <th>Device</th>
              {columns.map((name) => (
                <th key={name}>
                  <code>{visibleText(name)}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ answer, row, index }) => (
              <tr key={`${answer.id} ${index}`}>
                <td>
                  <DeviceLink answer={answer} />
                </td>
                {columns.map((name) => (
                  <td key={name} title={visibleText(row[name] ?? '')}>
                    {visibleText(row[name] ?? '')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p className="sm t2 answers-foot">
        {all.length > shown.length
          ? `The first ${shown.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} rows; the export has all.`
          : all.length === 1
            ? '1 row.'
            : `${all.length.toLocaleString('en')} rows.`}
        {without > 0 && ` ${without === 1 ? '1 device has' : `${without} devices have`} none.`}
        {warned > 0 && ` Of ${warned === 1 ? '1 device' : `${warned} devices`} some rows were left out.`}
      </p>
    </>
  )
}

const Errors = ({ answers }: { answers: readonly LiveAnswerView[] }) =>
  answers.length === 0 ? (
    <p className="t2">No device had an error.</p>
  ) : (
    <ul className="lines">
      {answers.map((answer) => (
        <li key={answer.id} className="line">
          <span className="error-device ell">
            <DeviceLink answer={answer} />
          </span>
          <span className="grow error-text">{visibleText(answer.error_message ?? '')}</span>
        </li>
      ))}
    </ul>
  )
