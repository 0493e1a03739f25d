import type { IssueSort } from '@muster/contract/console-values.ts'
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { ListView, onlyChip, optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { given } from '../components/read-filters.ts'
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

const options = optionsOf(issueStates).filter(({ value }) => value !== 'all')
const stateChip = { field: 'State', name: 'state', options, usual: 'open', cleared: 'all' }

export function IssueList({ filters, onChange, checkId }: Parts) {
  const isInset = checkId !== undefined
  const queryOf = (wanted: IssueFilters) => issuesQuery(isInset ? { ...wanted, check: checkId } : wanted)
  const query = queryOf(filters)
  const list = useQuery(query)
  const { rows, changes, show } = useSteadyRows(list, JSON.stringify(query.queryKey))
  const sortBy = (sort: IssueSort | undefined) => onChange(given({ ...filters, sort, after: undefined }))
  const [first] = list.data?.data ?? []
  return (
    <>
      {!isInset && <ViewBar page="issues" />}
      <ListView
        list={list}
        steady={{ rows, changes, show }}
        name="Issues"
        nouns={['issue', 'issues']}
        isInset={isInset}
        filters={filters}
        read={readIssueFilters}
        inWords={issueFiltersInWords}
        onShow={onChange}
        onNear={(next) => void queryClient.prefetchQuery(queryOf(next))}
        searched="Title, value or device"
        chips={[
          stateChip,
          ...onlyChip('Check', 'check', isInset ? undefined : filters.check, first?.check.name),
          ...onlyChip('Device', 'device', filters.device, first?.device.name),
        ]}
        choices={
          <SortChoice
            words={{
              usual: 'Found last',
              detected_at: 'Found first',
              ...(sortsOf(filters.state).includes('blocks_at') && { blocks_at: 'Blocks soonest' }),
            }}
            sort={filters.sort}
            onSort={sortBy}
          />
        }
        empty={
          <Emptiness title="No open issues." guide="checks">
            Failures that checks find on devices appear here.
          </Emptiness>
        }
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
      </ListView>
    </>
  )
}
