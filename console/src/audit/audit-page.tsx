import { auditActions } from '@muster/contract/audit-actions.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf, api } from '../api/api.ts'
import './audit.css'
import { queryClient } from '../api/query-client.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { RowCount } from '../components/row-count.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { Page } from '../shell/page.tsx'
import {
  type AuditFilters,
  aboutInWords,
  actorWords,
  auditCountQuery,
  auditFilterOf,
  auditFiltersInWords,
  auditViewsQuery,
  readAuditFilters,
  sinceWords,
} from './audit-queries.ts'
import { AuditTable } from './audit-table.tsx'
import { ChainLine } from './chain-line.tsx'

const route = getRouteApi('/shell/audit')

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, text]) => ({ value, text }))

const actionOptions = optionsOf(auditActions).sort((one, other) => one.text.localeCompare(other.text))

export function AuditPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = auditFilterOf(filters)
  const list = useQuery(auditViewsQuery(filter, filters.after))
  const count = useQuery(auditCountQuery(filter))
  const show = (search: AuditFilters, replace = false) => void navigate({ search, replace })
  const { after: _after, ...kept } = filters
  return (
    <Page
      title="Audit log"
      actions={
        <ExportCsv
          file={addressOf('exportAuditLogs', { query: filter })}
          count={() => api('countAuditViews', { query: filter })}
          filterInWords={auditFiltersInWords(filters)}
          one="entry"
          many="entries"
        />
      }
    >
      <ChainLine />
      <ViewBar page="audit" />
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Action or actor"
          onChange={(q) => show(readAuditFilters({ ...kept, q }), true)}
        />
        <FilterChip
          field="By"
          isSingle
          options={optionsOf(actorWords)}
          chosen={filters.actor ? [filters.actor] : []}
          onChange={([actor]) => show(readAuditFilters({ ...kept, actor }))}
        />
        <FilterChip
          field="Action"
          isSingle
          options={actionOptions}
          chosen={filters.action ? [filters.action] : []}
          onChange={([action]) => show(readAuditFilters({ ...kept, action }))}
        />
        <FilterChip
          field="Within"
          isSingle
          options={optionsOf(sinceWords)}
          chosen={filters.since ? [filters.since] : []}
          onChange={([since]) => show(readAuditFilters({ ...kept, since }))}
        />
        {filters.about !== undefined && (
          <FilterChip
            field="About"
            isSingle
            options={[{ value: filters.about, text: aboutInWords(filters.about) }]}
            chosen={[filters.about]}
            onChange={() => show(readAuditFilters({ ...kept, about: '' }))}
          />
        )}
        <span className="grow" />
        <RowCount count={count.data?.count} one="entry" many="entries" />
      </search>
      <ListBody
        list={list}
        name="Audit log"
        filter={auditFiltersInWords(filters)}
        noMatch="No entries match."
        onClear={() => show({})}
        empty={
          <Emptiness title="No entries yet." guide="audit-log">
            Every change and every revealed secret is recorded here.
          </Emptiness>
        }
        after={filters.after}
        onNext={(after) => show({ ...filters, after })}
        onNear={(after) => void queryClient.prefetchQuery(auditViewsQuery(filter, after))}
      >
        {(rows) => <AuditTable rows={rows} />}
      </ListBody>
    </Page>
  )
}
