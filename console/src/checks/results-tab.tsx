import type { CheckResult } from '@muster/contract/check-results.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { addressOf } from '../api/api.ts'
import { query } from '../api/query.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { ListView } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { readResultFilters } from './check-filters.ts'
import { checkFactsQuery, type ResultFilters, resultSearch } from './check-queries.ts'
import { resultWords } from './check-words.ts'
import { reasonOfUnknown, rowStatusOf, statusColumn } from './row-status.ts'

const route = getRouteApi('/shell/checks/$checkId/')

const statusChip = {
  field: 'Result',
  name: 'status',
  options: Object.entries(resultWords).map(([value, { word }]) => ({ value, text: word })),
  isMany: true,
}

const resultFiltersInWords = ({ q, status }: ResultFilters): string =>
  q === undefined && status === undefined ? '' : 'Only rows that match the filters.'

/**
 * Opens the tab with the failing results where there are any, as a filter that can be taken away; the list itself has
 * the order of devices.
 */
function useFailingFirst(checkId: string) {
  const statuses = useQuery(checkFactsQuery(checkId)).data?.statuses
  const isFiltered = Object.keys(readResultFilters(route.useSearch())).length > 0
  const navigate = route.useNavigate()
  const openedOf = useRef<string>(undefined)
  useEffect(() => {
    if (statuses === undefined || openedOf.current === checkId) return
    openedOf.current = checkId
    if (!isFiltered && statuses.failing > 0) void navigate({ search: { status: 'failing' }, replace: true })
  }, [statuses, isFiltered, checkId, navigate])
}

export function ResultsTab() {
  const { checkId } = route.useParams()
  const filters = readResultFilters(route.useSearch())
  const navigate = route.useNavigate()
  useFailingFirst(checkId)
  const asked = { query: resultSearch(filters), per_page: 50, cursor: filters.after }
  const results = useQuery(query('listCheckResultsOfCheck', { params: { checkId }, query: asked }, { pace: 'slow' }))
  return (
    <section aria-label="Results by device">
      <ViewBar page="check_results" />
      <ListView
        isInset
        list={results}
        name="Results by device"
        nouns={['result', 'results']}
        filters={filters}
        read={readResultFilters}
        inWords={resultFiltersInWords}
        onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
        searched="Device"
        chips={[statusChip]}
        choices={
          <>
            <span className="grow" />
            <ExportCsv
              file={addressOf('exportCheckResults', { params: { checkId }, query: { query: resultSearch(filters) } })}
              filterInWords={resultFiltersInWords(filters)}
              one="result"
              many="results"
            />
          </>
        }
        empty={
          <Emptiness title="This check runs on no devices.">
            A device appears here once the check fits it; see Configuration, “Where it applies”.
          </Emptiness>
        }
        className="bottom-line check-results-table"
        hasOwnLayout
      >
        {(rows) => <Records rows={rows.map((row) => ({ ...row, id: row.device_id }))} columns={columns} />}
      </ListView>
    </section>
  )
}

const columns: readonly Column<CheckResult>[] = [
  {
    text: 'Device',
    cell: ({ device_id: id, device_display_name: name }) => (
      <Link
        to="/devices/$deviceId"
        params={{ deviceId: id }}
        className="medium"
        title={visibleText(name)}
        data-row-link
      >
        {visibleText(name)}
      </Link>
    ),
  },
  { text: 'Result', head: 'w-result', cell: ({ status }) => <Status status={status} /> },
  { text: 'Finding', className: 'secondary', title: foundIn, cell: foundIn },
  {
    text: 'Ran',
    head: 'numeric w-ran',
    className: 'numeric secondary',
    cell: ({ ran_at: at }) => <RelativeTime time={at} missing="never" />,
  },
]

function Status({ status }: Pick<CheckResult, 'status'>) {
  const { mark, word } = resultWords[status]
  return (
    <span className={status === 'failing' || status === 'errored' ? 'state bad' : 'state secondary'}>
      <Mark name={mark} />
      {word}
    </span>
  )
}

/** The first failing row in a line, or why there is none. */
function foundIn(result: CheckResult) {
  const { status, exemption_reason: reason, exemption_expires_at: end, check_result_data: rows } = result
  if (reason !== null) return `Exempted${end === null ? '' : ` until ${end.slice(0, 10)}`}: “${visibleText(reason)}”`
  if (status === 'stale') return 'Options changed; runs at the next check-in'
  if (status === 'pending') return 'Runs at the next check-in'
  const unknown = status === 'unknown' ? reasonOfUnknown(result) : ''
  if (unknown !== '') return visibleText(unknown)
  const shown = rows.filter((row) => !['passing', 'inapplicable'].includes(rowStatusOf(row)))
  const [first] = shown
  if (!first) return ''
  const values = Object.entries(first).filter(([column]) => column !== statusColumn)
  const text = values.map(([column, value]) => `${column} ${value}`).join(' · ')
  return visibleText(shown.length > 1 ? `${text} (and ${shown.length - 1} more)` : text)
}
