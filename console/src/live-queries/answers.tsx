import { Button } from '@mantine/core'
import type { LiveAnswerView } from '@muster/contract/console-queries.ts'
import type { LiveQueryCampaign } from '@muster/contract/live-queries.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { queryKeyOf } from '../api/query.ts'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { AnswerRows, DeviceLink } from './answer-rows.tsx'
import { type AnswerKind, answersQuery, readMoreAnswers } from './live-query-queries.ts'

/** What came in so far, devices that could not run the SQL apart. */
export function Answers({ query }: { query: LiveQueryCampaign }) {
  const [kind, setKind] = useState<AnswerKind>('rows')
  const counts = { rows: query.successful_devices_count, errors: query.errored_devices_count }
  const client = useQueryClient()
  const isWaiting = query.waiting_devices_count > 0
  const asked = { id: query.id, revision: query.revision, kind }
  const answers = useQuery(answersQuery(asked))
  const answered = counts.rows + counts.errors
  useEffect(() => {
    if (answered > 0)
      void client.invalidateQueries({ queryKey: queryKeyOf('listLiveAnswers', { params: { campaignId: query.id } }) })
  }, [client, query.id, answered])
  const pages = answers.data?.pages
  const found = useMemo(() => pages?.flatMap(({ list }) => list.data), [pages])
  const more = useAction({ act: () => readMoreAnswers(client, asked) })
  const hasMore = (pages?.at(-1)?.list.pagination.next_cursor ?? '') !== ''
  return (
    <section aria-labelledby="answers" className="section">
      <div className="section-head">
        <h2 id="answers">Answers</h2>
        <div className="views">
          <button
            type="button"
            className={kind === 'rows' ? 'on' : ''}
            aria-pressed={kind === 'rows'}
            onClick={() => setKind('rows')}
          >
            Rows <span className="count">{counts.rows}</span>
          </button>
          <button
            type="button"
            className={kind === 'errors' ? 'on' : ''}
            aria-pressed={kind === 'errors'}
            onClick={() => setKind('errors')}
          >
            Errors <span className="count">{counts.errors}</span>
          </button>
        </div>
      </div>
      {answers.isError && !found && (
        <Failure what="Answers could not be loaded." error={answers.error} onRetry={() => void answers.refetch()} />
      )}
      {found === undefined && !answers.isError && <SkeletonRows rows={4} />}
      {found && kind === 'errors' && <Errors answers={found} />}
      {found && kind === 'rows' && <AnswerRows queryId={query.id} answers={found} isWaiting={isWaiting} />}
      {hasMore && (
        <p>
          <Button loading={more.isPending} onClick={() => more.mutate()}>
            Show more devices
          </Button>
        </p>
      )}
    </section>
  )
}

const Errors = ({ answers }: { answers: readonly LiveAnswerView[] }) =>
  answers.length === 0 ? (
    <p className="secondary">No device had an error.</p>
  ) : (
    <ul className="lines">
      {answers.map((answer) => (
        <li key={answer.id} className="line">
          <span className="error-device ellipsis">
            <DeviceLink answer={answer} />
          </span>
          <span className="grow error-text">{visibleText(answer.error_message ?? '')}</span>
        </li>
      ))}
    </ul>
  )
