import { type DeviceColumnName, type DeviceSort, deviceColumnNames } from '@muster/contract/console-values.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { countOf, csvAddressOf } from '../api/api.ts'
import { queryClient } from '../api/query-client.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { usePreferences } from '../components/preferences.ts'
import { given } from '../components/read-filters.ts'
import { Records } from '../components/records.tsx'
import { menuColumn } from '../components/row-menu.tsx'
import { everything, nothing, sizeOf } from '../components/selection.ts'
import { useSteadyRows } from '../components/use-steady-rows.ts'
import { visibleText } from '../components/visible-text.ts'
import { BulkRow } from './bulk-row.tsx'
import { useDeviceChips } from './device-chips.ts'
import { DeviceChoices } from './device-choices.tsx'
import { deviceColumns, nameColumn } from './device-columns.tsx'
import { type DeviceFilters, filterOf, filtersInWords, readDeviceFilters } from './device-filters.ts'
import { DeviceMenu } from './device-menu.tsx'
import { DevicePaging } from './device-paging.tsx'
import { deviceCountQuery, devicePageQuery } from './device-queries.ts'
import { useMayChangeDevices } from './device-verbs.tsx'
import { DeviceViews } from './device-views.tsx'
import { PastDay } from './past-day.tsx'
import { useSeen } from './use-owned.ts'
import './device-table.css'

const route = getRouteApi('/shell/devices')

const nameOf = ({ name }: { readonly name: string }) => visibleText(name)

/** No past value of them is kept. */
const absentFromDays: ReadonlySet<DeviceColumnName> = new Set(['blocks', 'issues', 'seen'])

export function DevicesPage() {
  // The router keeps what a route has not read; it means nothing here.
  const filters = readDeviceFilters(route.useSearch())
  const navigate = route.useNavigate()
  const query = devicePageQuery(filters)
  const list = useQuery(query)
  const steady = useSteadyRows(list, JSON.stringify(query.queryKey))
  const count = useQuery(deviceCountQuery(filters)).data?.count
  const shownColumns = usePreferences().device_columns ?? deviceColumnNames
  const { as_of: day } = filters
  const isPast = day !== undefined
  const [selection, setSelection] = useState(nothing)
  const [isTouched, setIsTouched] = useState(false)
  const maySelect = [useMay('refresh_check'), useMay('remove_devices')].some(Boolean) && !isPast
  const mayChange = useMayChangeDevices() && !isPast
  const seen = useSeen(steady.rows)
  const isSelecting = maySelect && isTouched
  const total = count ?? steady.rows.length
  const change = (wanted: DeviceFilters, isTyping = false) => {
    setSelection(nothing)
    void navigate({ search: wanted, replace: isTyping })
  }
  const sortBy = (sort: DeviceSort | undefined) =>
    change(given({ ...filters, sort, after: undefined, from: undefined }))
  const columns = [
    nameColumn,
    ...shownColumns.filter((name) => !isPast || !absentFromDays.has(name)).map((name) => deviceColumns[name]),
    ...(mayChange
      ? [
          menuColumn<DeviceView>({
            nameOf,
            menuOf: (row) => (menu) => <DeviceMenu row={row} menu={menu} onGone={steady.renew} />,
          }),
        ]
      : []),
  ]
  return (
    <ListPage
      title="Devices"
      name="Devices"
      nouns={['device', 'devices']}
      file={csvAddressOf('listDeviceViews', { query: filterOf(filters) })}
      countRows={() => countOf('listDeviceViews', { query: filterOf(filters) })}
      actions={<Enroll />}
      tabs={<DeviceViews filters={filters} onChange={change} />}
      list={list}
      steady={steady}
      isCounted
      count={count}
      filters={filters}
      read={(raw) => readDeviceFilters({ as_of: day, ...raw })}
      inWords={filtersInWords}
      onShow={change}
      searched="Name, owner, serial or note"
      chips={useDeviceChips(filters.group)}
      choices={
        <DeviceChoices
          filters={filters}
          onSort={sortBy}
          columns={shownColumns}
          isSelecting={isSelecting}
          onSelecting={maySelect ? setIsTouched : undefined}
        />
      }
      above={
        <>
          {isPast && <PastDay day={day} filters={filters} />}
          {sizeOf(selection, total) > 0 && (
            <BulkRow
              selection={selection}
              filters={filters}
              total={total}
              seen={seen}
              onChanged={steady.renew}
              onSelectAll={() => setSelection(everything)}
              onClear={() => setSelection(nothing)}
            />
          )}
        </>
      }
      empty={<NoDevice />}
      foot={(page) => (
        <DevicePaging
          filters={filters}
          {...page}
          total={count}
          onChange={change}
          onTurn={(search) => void navigate({ search })}
          onNear={(following) => void queryClient.prefetchQuery(devicePageQuery(following))}
        />
      )}
      className={isSelecting ? 'device-table selecting' : 'device-table'}
      hasOwnLayout
    >
      {(rows) => (
        <Records
          rows={rows}
          columns={columns}
          order={{ sort: filters.sort, onSort: sortBy }}
          {...(maySelect && { choice: { selection, onSelect: setSelection, nameOf, isTouched: isSelecting } })}
        />
      )}
    </ListPage>
  )
}

const Enroll = () => (
  <Link className="line-button" to="/devices/enroll">
    <Icon name="plus" size={14} />
    Enroll a machine
  </Link>
)

const NoDevice = () => (
  <Emptiness
    title="No devices enrolled yet."
    guide="osquery"
    action={
      <Link className="underlined" to="/devices/enroll">
        Enroll a machine
      </Link>
    }
  >
    A device appears here within a minute of its agent’s first check-in.
  </Emptiness>
)
