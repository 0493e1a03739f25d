import { strategyWords } from '@muster/contract/strategy-words.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { csvAddressOf } from '../api/api.ts'
import { queryClient } from '../api/query-client.ts'
import { ListPage } from '../components/list-page.tsx'
import { type ListChip, optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { SortChoice } from '../components/sort-choice.tsx'
import { visibleText } from '../components/visible-text.ts'
import { type CheckFilters, checkFiltersInWords, readCheckFilters, stateWords } from './check-filters.ts'
import { checksQuery } from './check-queries.ts'
import { CheckTable } from './check-table.tsx'
import { useMayWriteChecks } from './check-verbs.tsx'
import { kindWords, platformWords } from './check-words.ts'
import './checks.css'

const route = getRouteApi('/shell/checks')

const sortWords = { usual: 'Name', '-name': 'Name, backwards', passing: 'Passing least', '-passing': 'Passing most' }

const chips = [
  { field: 'State', name: 'state', options: optionsOf(stateWords) },
  { field: 'Strategy', name: 'strategy', options: optionsOf(strategyWords) },
  { field: 'Platform', name: 'platform', options: optionsOf(platformWords) },
  { field: 'Kind', name: 'kind', options: optionsOf(kindWords) },
]

export function ChecksPage() {
  // The router keeps what a route has not read; it means nothing here.
  const filters = readCheckFilters(route.useSearch())
  const navigate = route.useNavigate()
  const checks = useQuery(checksQuery(filters))
  const { after: _after, sort: _sort, q: search, ...narrowed } = filters
  const show = (wanted: CheckFilters, isTyping = false) => void navigate({ search: wanted, replace: isTyping })
  const sortBy = (sort: CheckFilters['sort']) => show(readCheckFilters({ ...filters, sort, after: undefined }))
  return (
    <ListPage
      title="Checks"
      name="Checks"
      nouns={['check', 'checks']}
      views="checks"
      file={csvAddressOf('listCheckViews', { query: { ...narrowed, search } })}
      actions={<Additions />}
      list={checks}
      filters={filters}
      read={readCheckFilters}
      inWords={checkFiltersInWords}
      onShow={show}
      onNear={(next) => void queryClient.prefetchQuery(checksQuery(next))}
      searched="Name, slug or description"
      chips={[...chips, ...tagChip(checks.data?.data ?? [], filters.tag)]}
      choices={<SortChoice words={sortWords} sort={filters.sort} onSort={sortBy} />}
      empty={<NoChecks />}
      className="check-list"
      hasOwnLayout
    >
      {(rows) => <CheckTable rows={rows} sort={filters.sort} onSort={sortBy} />}
    </ListPage>
  )
}

const NoChecks = () => (
  <Emptiness title="No checks are enabled yet." guide="checks">
    <Link className="underlined" to="/checks/catalogue">
      The catalogue
    </Link>{' '}
    has checks for macOS, Windows and Linux; what you enable there appears here and only reports.
  </Emptiness>
)

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

type Tagged = { readonly tags: readonly { readonly id: string; readonly name: string }[] }

/** The tags of the checks that are shown, and the one that is chosen. */
function tagChip(rows: readonly Tagged[], chosen: string | undefined): ListChip[] {
  const tags = new Map(rows.flatMap((row) => row.tags).map(({ id, name }) => [id, visibleText(name)]))
  if (chosen !== undefined && !tags.has(chosen)) tags.set(chosen, `Tag ${chosen}`)
  const options = [...tags].map(([value, text]) => ({ value, text }))
  return options.length === 0 ? [] : [{ field: 'Tag', name: 'tag', options }]
}
