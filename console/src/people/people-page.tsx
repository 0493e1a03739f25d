import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { addressOf, api } from '../api/api.ts'
import { queryClient } from '../api/query-client.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { RowCount } from '../components/row-count.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { Page } from '../shell/page.tsx'
import {
  deviceChoices,
  type PersonFilters,
  personCountQuery,
  personFilterOf,
  personFiltersInWords,
  personViewsQuery,
  readPersonFilters,
} from './person-queries.ts'
import { PersonTable } from './person-table.tsx'

export const PeoplePage = () => <People status="active" path="/people" />
export const DeprovisionedPage = () => <People status="deprovisioned" path="/people/deprovisioned" />

type Parts = { readonly status: 'active' | 'deprovisioned'; readonly path: '/people' | '/people/deprovisioned' }

const options = Object.entries(deviceChoices).map(([value, text]) => ({ value, text }))

function People({ status, path }: Parts) {
  const filters = readPersonFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const filter = personFilterOf(filters, status)
  const list = useQuery(personViewsQuery(filter, filters.after))
  const count = useQuery(personCountQuery(filter))
  const show = (search: PersonFilters, replace = false) => void navigate({ to: path, search, replace })
  const { after: _after, ...kept } = filters
  const isGone = status === 'deprovisioned'
  return (
    <Page
      title={isGone ? 'Deprovisioned people' : 'People'}
      {...(isGone && { crumb: { to: '/people', text: 'People' } })}
      actions={
        <ExportCsv
          file={addressOf('exportPeople', { query: filter })}
          count={() => api('countPersonViews', { query: filter })}
          filterInWords={personFiltersInWords(filters)}
          one="person"
          many="people"
        />
      }
    >
      <div className="tabs-bar">
        <Tabs label="People">
          <Link to="/people" {...asTab}>
            Active
          </Link>
          <Link to="/people/deprovisioned" {...asTab}>
            Deprovisioned
          </Link>
        </Tabs>
      </div>
      {!isGone && <ViewBar page="people" />}
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name or e-mail"
          onChange={(q) => show(readPersonFilters({ ...kept, q }), true)}
        />
        {!isGone && (
          <FilterChip
            field="Devices"
            isSingle
            options={options}
            chosen={filters.devices ? [filters.devices] : []}
            onChange={([devices]) => show(readPersonFilters({ ...kept, devices }))}
          />
        )}
        <span className="grow" />
        <RowCount count={count.data?.count} one="person" many="people" />
      </search>
      <ListBody
        list={list}
        name="People"
        filter={personFiltersInWords(filters)}
        noMatch="No people match."
        onClear={() => show({})}
        empty={
          isGone ? (
            <Emptiness title="Nobody was deprovisioned.">
              Who leaves the identity provider appears here; their sign-ins and audit entries stay.
            </Emptiness>
          ) : (
            <Emptiness title="No people yet." guide="scim">
              People come from the identity provider by SCIM, or by <code>muster people add</code>.
            </Emptiness>
          )
        }
        after={filters.after}
        onNext={(after) => show({ ...filters, after })}
        onNear={(after) => void queryClient.prefetchQuery(personViewsQuery(filter, after))}
      >
        {(rows) => <PersonTable rows={rows} isDeprovisioned={isGone} />}
      </ListBody>
    </Page>
  )
}
