import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { useSession } from '../api/session.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { Icon } from '../components/icon.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { given, keysOf } from '../components/read-filters.ts'
import { Page } from '../shell/page.tsx'
import { BulkRow } from './bulk-row.tsx'
import { deviceColumns } from './device-columns.tsx'
import { DeviceFilterBar } from './device-filter-bar.tsx'
import { type DeviceFilters, filterOf, filtersInWords, readDeviceFilters } from './device-filters.ts'
import { DevicePaging } from './device-paging.tsx'
import { deviceCountQuery, devicePageQuery } from './device-queries.ts'
import { DeviceTable } from './device-table.tsx'
import { DeviceViews } from './device-views.tsx'

const route = getRouteApi('/shell/devices')

export function DevicesPage() {
  // The router keeps what a route has not read; it means nothing here.
  const filters = readDeviceFilters(route.useSearch())
  const navigate = route.useNavigate()
  const session = useSession()
  const list = useQuery(devicePageQuery(filters))
  const count = useQuery(deviceCountQuery(filters))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayRefresh = session?.permissions.includes('refresh_check') ?? false
  const change = (wanted: DeviceFilters, isTyping = false) => {
    setChosen(new Set())
    void navigate({ search: wanted, replace: isTyping })
  }
  const { after: _after, from: _from, sort: _sort, ...kept } = filters
  const rows = list.data?.data ?? []
  const isFiltered = filtersInWords(filters) !== ''
  return (
    <Page
      title="Devices"
      actions={
        <>
          <ExportCsv
            list="devices"
            counted="/views/device_count"
            filter={filterOf(filters)}
            filterInWords={filtersInWords(filters)}
            one="device"
            many="devices"
          />
          <Link className="line-button" to="/devices/enrol">
            <Icon name="plus" size={14} />
            Enrol a machine
          </Link>
        </>
      }
    >
      <DeviceViews filters={filters} onChange={change} />
      <DeviceFilterBar filters={filters} count={count.data?.count} onChange={change} />
      {chosen.size > 0 && <BulkRow ids={[...chosen]} onClear={() => setChosen(new Set())} />}
      {list.isError && !list.data && (
        <div className="page">
          <Failure what="Devices could not be loaded." error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.isPending && <SkeletonRows rows={12} />}
      {list.data && rows.length > 0 && (
        <DeviceTable
          rows={rows}
          columns={keysOf(deviceColumns)}
          sort={filters.sort}
          onSort={(sort) => change(given({ ...kept, sort }))}
          chosen={chosen}
          onChoose={mayRefresh ? setChosen : undefined}
          isOld={list.isPlaceholderData}
        />
      )}
      {list.data && rows.length === 0 && (
        <div className="page">
          {isFiltered ? (
            <Emptiness title="No device matches." action={<Button onClick={() => change({})}>Clear filters</Button>}>
              {filtersInWords(filters)}
            </Emptiness>
          ) : (
            <Emptiness
              title="No device is enrolled yet."
              action={
                <Link className="u" to="/devices/enrol">
                  Enrol a machine
                </Link>
              }
            >
              A device appears here within a minute of its agent’s first check-in.
            </Emptiness>
          )}
        </div>
      )}
      {rows.length > 0 && (
        <DevicePaging
          filters={filters}
          shown={rows.length}
          total={count.data?.count}
          next={list.data?.pagination.next_cursor ?? ''}
          onChange={change}
          onNear={(following) => void queryClient.prefetchQuery(devicePageQuery(following))}
        />
      )}
    </Page>
  )
}
