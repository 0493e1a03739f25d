import type { IssueSort } from '@muster/contract/console-values.ts'
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { ChangesBar } from '../components/changes-bar.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { SortChoice } from '../components/sort-choice.tsx'
import { useSteadyRows } from '../components/use-steady-rows.ts'
import {
  type IssueFilters,
  issueFiltersInWords,
  issueStates,
  issuesQuery,
  readIssueFilters,
  sortsOf,
} from './issue-queries.ts'
import { IssueTable } from './issue-table.tsx'
import './issues.css'
import { ViewBar } from '../components/saved-views.tsx'

type Parts = {
  readonly filters: IssueFilters
  readonly onChange: (filters: IssueFilters, isTyping?: boolean) => void
  /** Within the page of a check, whose issues alone are listed. */
  readonly checkId?: string
}

const options = Object.entries(issueStates)
  .filter(([value]) => value !== 'all')
  .map(([value, text]) => ({ value, text }))

export function IssueList({ filters, onChange, checkId }: Parts) {
  const isInset = checkId !== undefined
  const queryOf = (wanted: IssueFilters) => issuesQuery(isInset ? { ...wanted, check: checkId } : wanted)
  const query = queryOf(filters)
  const list = useQuery(query)
  const { rows, changes, show } = useSteadyRows(list, JSON.stringify(query.queryKey))
  const { after: _after, ...kept } = filters
  const sortBy = (sort: IssueSort | undefined) => onChange(readIssueFilters({ ...kept, sort }))
  return (
    <>
      {!isInset && <ViewBar page="issues" />}
      <search className={isInset ? 'filterbar within' : 'filterbar'}>
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Title, value or device"
          onChange={(q) => onChange(readIssueFilters({ ...kept, q }), true)}
        />
        <FilterChip
          isSingle
          field="State"
          options={options}
          chosen={filters.state === 'all' ? [] : [filters.state ?? 'open']}
          onChange={([state]) => onChange(readIssueFilters({ ...kept, state: state ?? 'all' }))}
        />
        {!isInset && filters.check !== undefined && (
          <FilterChip
            isSingle
            field="Check"
            options={[{ value: filters.check, text: list.data?.data[0]?.check.name ?? filters.check }]}
            chosen={[filters.check]}
            onChange={([check]) => onChange(readIssueFilters({ ...kept, check }))}
          />
        )}
        {filters.device !== undefined && (
          <FilterChip
            isSingle
            field="Device"
            options={[{ value: filters.device, text: list.data?.data[0]?.device.name ?? filters.device }]}
            chosen={[filters.device]}
            onChange={([device]) => onChange(readIssueFilters({ ...kept, device }))}
          />
        )}
        <SortChoice
          words={{
            usual: 'Found last',
            detected_at: 'Found first',
            ...(sortsOf(filters.state).includes('blocks_at') && { blocks_at: 'Blocks soonest' }),
          }}
          sort={filters.sort}
          onSort={sortBy}
        />
      </search>
      <ChangesBar changes={changes} onShow={show} />
      <ListBody
        list={list}
        rows={rows}
        name="Issues"
        isInset={isInset}
        filter={issueFiltersInWords(filters)}
        noMatch="No issues match."
        onClear={() => onChange({})}
        empty={
          <Emptiness title="No open issues." guide="checks">
            Failures that checks find on devices appear here.
          </Emptiness>
        }
        after={filters.after}
        onNext={(after) => onChange({ ...filters, after })}
        onNear={(after) => void queryClient.prefetchQuery(queryOf({ ...filters, after }))}
        className="issues-table"
      >
        {(shown) => (
          <IssueTable
            rows={shown}
            withCheck={!isInset}
            sorts={sortsOf(filters.state)}
            sort={filters.sort}
            onSort={sortBy}
          />
        )}
      </ListBody>
    </>
  )
}
