import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { Icon } from '../components/icon.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../shell/page.tsx'
import { BulkRow } from './bulk-row.tsx'
import { DeviceFilterBar } from './device-filter-bar.tsx'
import { type DeviceFilters, filterOf, filtersInWords, pageSizeOf, pageSizes } from './device-filters.ts'
import { deviceCountQuery, devicePageQuery } from './device-queries.ts'
import { DeviceTable } from './device-table.tsx'
import { DeviceViews } from './device-views.tsx'

const route = getRouteApi('/shell/devices')

export function DevicesPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const session = useSession()
  const list = useQuery({ ...devicePageQuery(filters), placeholderData: keepPreviousData })
  const count = useQuery(deviceCountQuery(filters))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayRefresh = session?.permissions.includes('refresh_check') ?? false
  const change = (wanted: DeviceFilters, isTyping = false) => {
    setChosen(new Set())
    void navigate({ search: wanted, replace: isTyping })
  }
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
        <Paging
          filters={filters}
          shown={rows.length}
          total={count.data?.count}
          next={list.data?.pagination.next_cursor ?? ''}
          onChange={change}
        />
      )}
    </Page>
  )
}

type PagingParts = {
  readonly filters: DeviceFilters
  readonly shown: number
  readonly total: number | undefined
  readonly next: string
  readonly onChange: (filters: DeviceFilters) => void
}

function Paging({ filters, shown, total, next, onChange }: PagingParts) {
  const from = Number(filters.from ?? 0)
  const { after: _after, from: _from, ...first } = filters
  return (
    <div className="tfoot">
      <span>What blocks soonest comes first. Times show UTC on hover.</span>
      <span className="row">
        <label className="row">
          Rows
          <select
            className="select"
            value={pageSizeOf(filters)}
            onChange={(event) => onChange({ ...first, per: event.currentTarget.value })}
          >
            {pageSizes.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
        </label>
        <span className="tn">
          {from + 1}–{from + shown}
          {total !== undefined && ` of ${total.toLocaleString('en')}`}
        </span>
        <Button aria-label="Previous page" disabled={filters.after === undefined} onClick={() => history.back()}>
          <Icon name="chevronLeft" size={14} />
        </Button>
        <Button
          aria-label="Next page"
          disabled={next === ''}
          onClick={() => onChange({ ...filters, after: next, from: String(from + shown) })}
        >
          <Icon name="chevronRight" size={14} />
        </Button>
      </span>
    </div>
  )
}
