import { Button } from '@mantine/core'
import { type DeviceColumnName, type DeviceSort, deviceColumnNames } from '@muster/contract/console-values.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf, api } from '../api/api.ts'
import { useChangePreferences, usePreferences } from '../api/preferences.ts'
import { queryClient } from '../api/query-client.ts'
import { useMay } from '../api/session.ts'
import { ChangesBar } from '../components/changes-bar.tsx'
import { ColumnChoice } from '../components/column-choice.tsx'
import { ExportCsv } from '../components/export-csv.tsx'
import { Icon } from '../components/icon.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { given } from '../components/read-filters.ts'
import { everything, nothing, sizeOf } from '../components/selection.ts'
import { SortChoice } from '../components/sort-choice.tsx'
import { useSteadyRows } from '../components/use-steady-rows.ts'
import { Page } from '../shell/page.tsx'
import { BulkRow } from './bulk-row.tsx'
import { columnWords } from './device-columns.tsx'
import { DeviceFilterBar } from './device-filter-bar.tsx'
import { type DeviceFilters, filterOf, filtersInWords, readDeviceFilters } from './device-filters.ts'
import { DevicePaging } from './device-paging.tsx'
import { deviceCountQuery, devicePageQuery } from './device-queries.ts'
import { DeviceTable } from './device-table.tsx'
import { DeviceViews } from './device-views.tsx'
import { PastDay } from './past-day.tsx'
import { useSeen } from './use-owned.ts'

const route = getRouteApi('/shell/devices')

const sortWords = {
  usual: 'What blocks soonest',
  name: 'Name',
  '-name': 'Name, backwards',
  will_block_at: 'Deadline',
  '-will_block_at': 'Deadline, latest first',
  '-last_seen_at': 'Last seen',
  last_seen_at: 'Silent longest',
}
const pastSortWords = { usual: 'Blocked first', name: sortWords.name, '-name': sortWords['-name'] }

/** No past value of them is kept. */
const absentFromDays: ReadonlySet<DeviceColumnName> = new Set(['blocks', 'issues', 'seen'])

export function DevicesPage() {
  // The router keeps what a route has not read; it means nothing here.
  const filters = readDeviceFilters(route.useSearch())
  const navigate = route.useNavigate()
  const query = devicePageQuery(filters)
  const list = useQuery(query)
  const { rows, changes, show, renew } = useSteadyRows(list, JSON.stringify(query.queryKey))
  const count = useQuery(deviceCountQuery(filters))
  const chosenColumns = usePreferences().device_columns ?? deviceColumnNames
  const { as_of: day } = filters
  const columns = day === undefined ? chosenColumns : chosenColumns.filter((name) => !absentFromDays.has(name))
  const [selection, setSelection] = useState(nothing)
  const [isSelecting, setIsSelecting] = useState(false)
  const maySelect = [useMay('refresh_check'), useMay('remove_devices')].some(Boolean)
  const mayChoose = maySelect && day === undefined
  const seen = useSeen(rows)
  const total = count.data?.count
  const change = (wanted: DeviceFilters, isTyping = false) => {
    setSelection(nothing)
    void navigate({ search: wanted, replace: isTyping })
  }
  const { after: _after, from: _from, sort: _sort, ...kept } = filters
  const sortBy = (sort: DeviceSort | undefined) => change(given({ ...kept, sort }))
  return (
    <Page title="Devices" actions={<Actions filters={filters} />}>
      <DeviceViews filters={filters} onChange={change} />
      <DeviceFilterBar filters={filters} count={total} onChange={change}>
        <SortChoice words={day === undefined ? sortWords : pastSortWords} sort={filters.sort} onSort={sortBy} />
        {mayChoose && (
          <button type="button" className="plain u select-rows" onClick={() => setIsSelecting(!isSelecting)}>
            {isSelecting ? 'Done selecting' : 'Select'}
          </button>
        )}
        <Columns columns={chosenColumns} />
      </DeviceFilterBar>
      {day !== undefined && <PastDay day={day} filters={filters} />}
      <ChangesBar changes={changes} onShow={show} />
      {sizeOf(selection, total ?? rows.length) > 0 && (
        <BulkRow
          selection={selection}
          filters={filters}
          total={total ?? rows.length}
          seen={seen}
          onChanged={renew}
          onSelectAll={() => setSelection(everything)}
          onClear={() => setSelection(nothing)}
        />
      )}
      {list.isError && !list.data && (
        <div className="page">
          <Failure what="Devices could not be loaded." error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.isPending && <SkeletonRows rows={12} />}
      {list.data && rows.length > 0 && (
        <DeviceTable
          rows={rows}
          columns={columns}
          sort={filters.sort}
          onSort={sortBy}
          selection={selection}
          onSelect={mayChoose ? setSelection : undefined}
          isSelecting={mayChoose && isSelecting}
          onGone={renew}
          isOld={list.isPlaceholderData}
          isPast={day !== undefined}
        />
      )}
      {list.data && rows.length === 0 && (
        <NoDevice filter={filtersInWords(filters)} onClear={() => change(given({ as_of: day }))} />
      )}
      {rows.length > 0 && (
        <DevicePaging
          filters={filters}
          shown={rows.length}
          total={total}
          next={list.data?.pagination.next_cursor ?? ''}
          onChange={change}
          onTurn={(search) => void navigate({ search })}
          onNear={(following) => void queryClient.prefetchQuery(devicePageQuery(following))}
        />
      )}
    </Page>
  )
}

const Actions = ({ filters }: { readonly filters: DeviceFilters }) => (
  <>
    <ExportCsv
      file={addressOf('exportDevices', { query: filterOf(filters) })}
      count={() => api('countDeviceViews', { query: filterOf(filters) })}
      filterInWords={filtersInWords(filters)}
      one="device"
      many="devices"
    />
    <Link className="line-button" to="/devices/enroll">
      <Icon name="plus" size={14} />
      Enroll a machine
    </Link>
  </>
)

function Columns({ columns }: { readonly columns: readonly DeviceColumnName[] }) {
  const change = useChangePreferences()
  return (
    <ColumnChoice
      words={columnWords}
      all={deviceColumnNames}
      shown={columns}
      onChange={(shown) => change.mutate({ device_columns: shown && [...shown] })}
    />
  )
}

function NoDevice({ filter, onClear }: { readonly filter: string; readonly onClear: () => void }) {
  const enroll = (
    <Link className="u" to="/devices/enroll">
      Enroll a machine
    </Link>
  )
  return (
    <div className="page">
      {filter === '' ? (
        <Emptiness title="No devices enrolled yet." guide="osquery" action={enroll}>
          A device appears here within a minute of its agent’s first check-in.
        </Emptiness>
      ) : (
        <Emptiness title="No devices match." action={<Button onClick={onClear}>Clear filters</Button>}>
          {filter}
        </Emptiness>
      )}
    </div>
  )
}
