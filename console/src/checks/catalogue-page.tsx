import { Button } from '@mantine/core'
import type { Catalogue } from '@muster/contract/console-drafts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { FilterChip } from '../components/filter-chip.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { RowCount } from '../components/row-count.tsx'
import { Scroller } from '../components/scroller.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { Mark } from '../components/state-shape.tsx'
import { useAction } from '../components/use-action.ts'
import { readCatalogueFilters } from './check-filters.ts'
import { platformWords } from './check-words.ts'
import '../components/list-body.css'
import './checks.css'

const route = getRouteApi('/shell/checks/catalogue')
const crumb = { to: '/checks', text: 'Checks' } as const
const stateWords = { enabled: 'Enabled', available: 'Not enabled' } as const

type Entry = Catalogue['checks'][number]

export function CataloguePage() {
  const filters = readCatalogueFilters(route.useSearch())
  const navigate = route.useNavigate()
  const catalogue = useQuery(query('getCatalogue'))
  const text = filters.q?.toLowerCase() ?? ''
  const rows = catalogue.data?.checks.filter(
    (entry) =>
      (text === '' ||
        `${entry.name} ${entry.slug} ${entry.description} ${entry.topics.join(' ')}`.toLowerCase().includes(text)) &&
      (filters.platform === undefined || entry.platforms.includes(filters.platform)) &&
      (filters.enabled === undefined || (entry.check_id !== null) === (filters.enabled === 'enabled')),
  )
  const change = (wanted: Record<string, string | undefined>, replace = false) =>
    void navigate({ search: readCatalogueFilters({ ...filters, ...wanted }), replace })
  const chip = (field: string, name: 'platform' | 'enabled', words: Readonly<Record<string, string>>) => (
    <FilterChip
      isSingle
      field={field}
      options={Object.entries(words).map(([value, word]) => ({ value, text: word }))}
      chosen={filters[name] === undefined ? [] : [filters[name]]}
      onChange={([value]) => change({ [name]: value })}
    />
  )
  return (
    <Page title="Catalogue" crumb={crumb}>
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name, slug, topic or description"
          onChange={(q) => change({ q }, true)}
        />
        {chip('Platform', 'platform', platformWords)}
        {chip('State', 'enabled', stateWords)}
        <span className="grow" />
        <RowCount count={rows?.length} one="check" many="checks" />
      </search>
      {catalogue.isError && (
        <div className="page">
          <Failure
            what="The catalogue could not be loaded."
            error={catalogue.error}
            onRetry={() => void catalogue.refetch()}
          />
        </div>
      )}
      {catalogue.isPending && <SkeletonRows rows={10} />}
      {rows?.length === 0 && (
        <div className="page">
          <Emptiness
            title="No checks match."
            action={<Button onClick={() => void navigate({ search: {} })}>Clear filters</Button>}
          />
        </div>
      )}
      {rows !== undefined && rows.length > 0 && (
        <Scroller name="Catalogue" className="bleed">
          <table className="table bottom-line record-table">
            <thead>
              <tr>
                <th>Check</th>
                <th className="w-check-strategy">Runs on</th>
                <th className="w-check-strategy">State</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <CatalogueRow key={entry.slug} entry={entry} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </Page>
  )
}

function CatalogueRow({ entry }: { entry: Entry }) {
  return (
    <tr className="tall">
      <td className="c-name">
        {entry.check_id === null ? (
          <span className="medium">{entry.name}</span>
        ) : (
          <Link to="/checks/$checkId" params={{ checkId: entry.check_id }} className="medium" data-row-link>
            {entry.name}
          </Link>
        )}
        <div className="small secondary ellipsis" title={entry.description}>
          {entry.description}
        </div>
      </td>
      <td className="secondary c-sub">{entry.platforms.map((platform) => platformWords[platform]).join(', ')}</td>
      <td className="c-lead">{entry.check_id === null ? <EnableButton entry={entry} /> : <Enabled />}</td>
    </tr>
  )
}

const Enabled = () => (
  <span className="state secondary">
    <Mark name="tick" />
    Enabled
  </span>
)

function EnableButton({ entry }: { entry: Entry }) {
  const session = useSession()
  const enable = useAction({
    act: () => api('enableCatalogueCheck', { params: { slug: entry.slug } }),
    refresh: ['checks'],
    said: () => `Enabled “${entry.name}” as report only`,
  })
  if (!session?.permissions.includes('configure_checks')) return <span className="faint">Not enabled</span>
  return (
    <Button loading={enable.isPending} onClick={() => enable.mutate()} aria-label={`Enable ${entry.name}`}>
      Enable
    </Button>
  )
}
