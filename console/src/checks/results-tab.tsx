import { Button } from '@mantine/core'
import type { CheckResult } from '@muster/contract/check-results.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { addressOf } from '../api/api.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { Scroller } from '../components/scroller.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { readResultFilters } from './check-filters.ts'
import { type ResultFilters, resultSearch, resultsQuery } from './check-queries.ts'
import { resultWords } from './check-words.ts'

const route = getRouteApi('/shell/checks/$checkId/')

const statusOptions = Object.entries(resultWords).map(([value, { word }]) => ({ value, text: word }))

export function ResultsTab() {
  const { checkId } = route.useParams()
  const filters = readResultFilters(route.useSearch())
  const navigate = route.useNavigate()
  const results = useQuery(resultsQuery(checkId, filters))
  const rows = results.data?.data ?? []
  const change = (search: ResultFilters, replace = false) => void navigate({ search, replace })
  const { after: _after, ...kept } = filters
  const isFiltered = filters.q !== undefined || filters.status !== undefined
  return (
    <section aria-label="Results by device">
      <ViewBar page="check_results" />
      <search className="filterbar within">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Device"
          onChange={(q) => {
            const { q: _was, ...others } = kept
            change(q === '' ? others : { ...others, q }, true)
          }}
        />
        <FilterChip
          field="Result"
          options={statusOptions}
          chosen={filters.status?.split(',') ?? []}
          onChange={(values) => {
            const { status: _was, ...others } = kept
            change(values.length === 0 ? others : { ...others, status: values.join(',') })
          }}
        />
        <span className="grow" />
        <ExportCsv
          file={addressOf('exportCheckResults', { params: { checkId }, query: { query: resultSearch(filters) } })}
          filterInWords={isFiltered ? 'Only rows that match the filters.' : ''}
          one="result"
          many="results"
        />
      </search>
      {results.isError && (
        <Failure what="Results could not be loaded." error={results.error} onRetry={() => void results.refetch()} />
      )}
      {results.isPending && <SkeletonRows rows={8} />}
      {results.data &&
        rows.length === 0 &&
        (isFiltered ? (
          <Emptiness title="No results match." action={<Button onClick={() => change({})}>Clear filters</Button>} />
        ) : (
          <Emptiness title="This check runs on no devices.">
            A device appears here once the check fits it; see Configuration, “Where it applies”.
          </Emptiness>
        ))}
      {rows.length > 0 && (
        <Scroller name="Results by device" className={results.isPlaceholderData ? 'old' : ''}>
          <table className="t bl check-results-table">
            <thead>
              <tr>
                <th>Device</th>
                <th className="w-result">Result</th>
                <th>Finding</th>
                <th className="num w-ran">Ran</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((result) => (
                <ResultRow key={result.device_id} result={result} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      {results.data && (
        <CursorPaging
          current={filters.after ?? ''}
          next={results.data.pagination.next_cursor}
          shown={rows.length}
          onNext={(after) => change({ ...filters, after })}
        />
      )}
    </section>
  )
}

function ResultRow({ result }: { result: CheckResult }) {
  const { mark, word } = resultWords[result.status]
  const isBad = result.status === 'failing' || result.status === 'errored'
  const name = visibleText(result.device_display_name)
  const found = foundIn(result)
  return (
    <tr>
      <td>
        <Link to="/devices/$deviceId" params={{ deviceId: result.device_id }} className="m" title={name} data-row-link>
          {name}
        </Link>
      </td>
      <td>
        <span className={isBad ? 'state bad' : 'state t2'}>
          <Mark name={mark} />
          {word}
        </span>
      </td>
      <td className="t2" title={found}>
        {found}
      </td>
      <td className="num t2">
        <RelativeTime time={result.ran_at} missing="never" />
      </td>
    </tr>
  )
}

const statusColumn = 'KOLIDE_CHECK_STATUS'

/** The first failing row in a line, or why there is none. */
function foundIn({
  status,
  exemption_reason: reason,
  exemption_expires_at: end,
  check_result_data: rows,
}: CheckResult) {
  if (reason !== null) return `Exempted${end === null ? '' : ` until ${end.slice(0, 10)}`}: “${visibleText(reason)}”`
  if (status === 'stale') return 'Options changed; runs at the next check-in'
  if (status === 'pending') return 'Runs at the next check-in'
  const shown = rows.filter((row) => row[statusColumn] !== 'PASS' && row[statusColumn] !== 'INAPPLICABLE')
  const [first] = shown
  if (!first) return ''
  const values = Object.entries(first).filter(([column]) => column !== statusColumn)
  const text = values.map(([column, value]) => `${column} ${value}`).join(' · ')
  return visibleText(shown.length > 1 ? `${text} (and ${shown.length - 1} more)` : text)
}
