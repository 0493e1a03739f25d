import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf, api } from '../api/api.ts'
import { queryClient } from '../api/query-client.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { RowCount } from '../components/row-count.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { useKeptDays } from '../settings/setting-queries.ts'
import { Page } from '../shell/page.tsx'
import {
  readSignInFilters,
  type SignInFilters,
  signInCountQuery,
  signInFilterOf,
  signInFiltersInWords,
  signInViewsQuery,
  sinceWords,
  statusWords,
} from './sign-in-queries.ts'
import { SignInTable } from './sign-in-table.tsx'

const route = getRouteApi('/shell/sign-ins')

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, text]) => ({ value, text }))

const chips = [
  { field: 'Result', name: 'result', options: optionsOf({ Success: 'Signed in', Fail: 'Failed' }) },
  { field: 'Device state', name: 'status', options: optionsOf(statusWords) },
  { field: 'Within', name: 'since', options: optionsOf(sinceWords) },
] as const

export function SignInsPage() {
  const keptDays = useKeptDays('auth_logs')
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = signInFilterOf(filters)
  const list = useQuery(signInViewsQuery(filter, filters.after))
  const count = useQuery(signInCountQuery(filter))
  const show = (search: SignInFilters, replace = false) => void navigate({ search, replace })
  const { after: _after, ...kept } = filters
  return (
    <Page
      title="Sign-in log"
      actions={
        <ExportCsv
          file={addressOf('exportSignIns', { query: filter })}
          count={() => api('countSignInViews', { query: filter })}
          filterInWords={signInFiltersInWords(filters)}
          one="sign-in"
          many="sign-ins"
        />
      }
    >
      <ViewBar page="sign_ins" />
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Person, device or address"
          onChange={(q) => show(readSignInFilters({ ...kept, q }), true)}
        />
        {chips.map(({ field, name, options }) => (
          <FilterChip
            key={name}
            field={field}
            isSingle
            options={options}
            chosen={filters[name] ? [filters[name]] : []}
            onChange={([value]) => show(readSignInFilters({ ...kept, [name]: value }))}
          />
        ))}
        {(['device', 'person'] as const).map((name) => (
          <OnlyOf
            key={name}
            name={name}
            id={filters[name]}
            onClear={() => show(readSignInFilters({ ...kept, [name]: '' }))}
          />
        ))}
        <span className="grow" />
        <RowCount count={count.data?.count} one="sign-in" many="sign-ins" />
      </search>
      <ListBody
        list={list}
        name="Sign-ins"
        filter={signInFiltersInWords(filters)}
        noMatch="No sign-ins match."
        onClear={() => show({})}
        empty={
          <Emptiness title="No sign-ins yet." guide="auth-logs">
            Every attempt to sign in with a device appears here, with its steps, for {keptDays} days.
          </Emptiness>
        }
        after={filters.after}
        onNext={(after) => show({ ...filters, after })}
        onNear={(after) => void queryClient.prefetchQuery(signInViewsQuery(filter, after))}
      >
        {(rows) => <SignInTable rows={rows} />}
      </ListBody>
    </Page>
  )
}

type OnlyParts = { readonly name: 'device' | 'person'; readonly id: string | undefined; readonly onClear: () => void }

/** Where a link from a record has narrowed the log to it. */
function OnlyOf({ name, id, onClear }: OnlyParts) {
  if (id === undefined) return null
  const field = name === 'device' ? 'Device' : 'Person'
  return <FilterChip field={field} isSingle options={[{ value: id, text: id }]} chosen={[id]} onChange={onClear} />
}
