import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { addressOf } from '../api/api.ts'
import { queryClient } from '../api/query-client.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { SortChoice } from '../components/sort-choice.tsx'
import { strategyWords } from '../components/strategy-words.ts'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import { type CheckFilters, checkFiltersInWords, readCheckFilters, stateWords } from './check-filters.ts'
import { checksQuery } from './check-queries.ts'
import { CheckTable } from './check-table.tsx'
import { useMayWriteChecks } from './check-verbs.tsx'
import { kindWords, platformWords } from './check-words.ts'
import './checks.css'
import { ViewBar } from '../components/saved-views.tsx'

const route = getRouteApi('/shell/checks')

const sortWords = { usual: 'Name', '-name': 'Name, backwards', passing: 'Passing least', '-passing': 'Passing most' }

export function ChecksPage() {
  // The router keeps what a route has not read; it means nothing here.
  const filters = readCheckFilters(route.useSearch())
  const navigate = route.useNavigate()
  const checks = useQuery(checksQuery(filters))
  const rows = checks.data?.data ?? []
  const words = checkFiltersInWords(filters)
  const { after: _after, sort: _sort, q: search, ...narrowed } = filters
  const exported = { ...narrowed, search }
  const change = (search: CheckFilters, replace = false) => void navigate({ search, replace })
  return (
    <Page
      title="Checks"
      actions={
        <>
          <ExportCsv
            file={addressOf('exportChecks', { query: exported })}
            filterInWords={words}
            one="check"
            many="checks"
          />
          <Additions />
        </>
      }
    >
      <ViewBar page="checks" />
      <FilterBar filters={filters} rows={rows} onChange={change} />
      {checks.isError && (
        <div className="page">
          <Failure what="Checks could not be loaded." error={checks.error} onRetry={() => void checks.refetch()} />
        </div>
      )}
      {checks.isPending && <SkeletonRows rows={10} />}
      {checks.data && rows.length === 0 && (
        <div className="page">
          {words === '' ? (
            <Emptiness title="No checks are enabled yet." guide="checks">
              <Link className="u" to="/checks/catalogue">
                The catalogue
              </Link>{' '}
              has checks for macOS, Windows and Linux; what you enable there appears here and only reports.
            </Emptiness>
          ) : (
            <Emptiness title="No checks match." action={<Button onClick={() => change({})}>Clear filters</Button>}>
              {words}
            </Emptiness>
          )}
        </div>
      )}
      {rows.length > 0 && (
        <CheckTable
          rows={rows}
          sort={filters.sort}
          onSort={(sort) => change(readCheckFilters({ ...filters, sort, after: undefined }))}
          isOld={checks.isPlaceholderData}
        />
      )}
      {checks.data && (
        <CursorPaging
          current={filters.after ?? ''}
          next={checks.data.pagination.next_cursor}
          shown={rows.length}
          onNext={(after) => change({ ...filters, after })}
          onNear={(after) => void queryClient.prefetchQuery(checksQuery({ ...filters, after }))}
        />
      )}
    </Page>
  )
}

function Additions() {
  const mayWrite = useMayWriteChecks()
  return (
    <>
      <Link to="/checks/catalogue" className="line-button">
        Catalogue
      </Link>
      {mayWrite && (
        <Link to="/checks/new" className="line-button">
          New check
        </Link>
      )}
    </>
  )
}

type BarParts = {
  readonly filters: CheckFilters
  readonly rows: readonly { readonly tags: readonly { readonly id: string; readonly name: string }[] }[]
  readonly onChange: (filters: CheckFilters, isTyping?: boolean) => void
}

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, text]) => ({ value, text }))

function FilterBar({ filters, rows, onChange }: BarParts) {
  const { after: _after, ...kept } = filters
  const withOne = (field: Exclude<keyof CheckFilters, 'after'>, value: string | undefined) => {
    const { [field]: _was, ...others } = kept
    return (value === undefined || value === '' ? others : { ...others, [field]: value }) as CheckFilters
  }
  const chip = (field: 'platform' | 'strategy' | 'kind' | 'state', text: string, words: Record<string, string>) => (
    <FilterChip
      isSingle
      field={text}
      options={optionsOf(words)}
      chosen={filters[field] === undefined ? [] : [filters[field]]}
      onChange={([value]) => onChange(withOne(field, value))}
    />
  )
  const tags = new Map(rows.flatMap((row) => row.tags).map(({ id, name }) => [id, visibleText(name)]))
  if (filters.tag !== undefined && !tags.has(filters.tag)) tags.set(filters.tag, `Tag ${filters.tag}`)
  return (
    <search className="filterbar">
      <SearchBox
        value={filters.q ?? ''}
        placeholder="Name, slug or description"
        onChange={(text) => onChange(withOne('q', text), true)}
      />
      {chip('state', 'State', stateWords)}
      {chip('strategy', 'Strategy', strategyWords)}
      {chip('platform', 'Platform', platformWords)}
      {chip('kind', 'Kind', kindWords)}
      {tags.size > 0 && (
        <FilterChip
          isSingle
          field="Tag"
          options={[...tags].map(([value, text]) => ({ value, text }))}
          chosen={filters.tag === undefined ? [] : [filters.tag]}
          onChange={([value]) => onChange(withOne('tag', value))}
        />
      )}
      <SortChoice
        words={sortWords}
        sort={filters.sort}
        onSort={(sort) => onChange(readCheckFilters({ ...kept, sort }))}
      />
    </search>
  )
}
