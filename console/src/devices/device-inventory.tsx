import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { tablesQuery } from '../api/tables-query.ts'
import { Failure, LoadFailure } from '../components/notices.tsx'
import { RecordTable } from '../reporting/record-table.tsx'
import { tableRecordsQuery } from '../reporting/table-records-query.ts'
import { NoRows, TableNote, TableSign } from './table-note.tsx'

const route = getRouteApi('/shell/devices/$deviceId/inventory')

/** What the device reports about itself: the reporting tables that are about devices, one at a time. */
export function DeviceInventory() {
  const { deviceId } = route.useParams()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const tables = useQuery(tablesQuery)
  const ofDevices = (tables.data ?? []).filter(({ searchable_fields: fields }) => fields.includes('device_id'))
  const inventory = useQuery(query('getInventoryOfDevice', { params: { deviceId } }))
  // There are some two dozen for each platform.
  const standing = useQuery(
    query('listTablesOfDevice', { params: { deviceId }, query: { per_page: 100 } }, { pace: 'slow' }),
  )
  const stands = new Map(standing.data?.data.map((one) => [one.name, one]))
  const counts = new Map(inventory.data?.tables.map(({ name, row_count: count }) => [name, count]))
  // The first with something in it, once that is known.
  const first = inventory.isPending ? undefined : (ofDevices.find(({ name }) => counts.has(name)) ?? ofDevices[0])
  const table = ofDevices.find(({ name }) => name === filters.table) ?? first
  const records = useQuery({
    ...tableRecordsQuery(table?.name ?? '', { device: deviceId, after: filters.after }),
    enabled: table !== undefined,
  })
  return (
    <div className="in-tab inventory">
      {tables.isError && (
        <Failure what="Tables could not be loaded." error={tables.error} onRetry={() => void tables.refetch()} />
      )}
      <nav className="inventory-tables" aria-label="Tables">
        {ofDevices.map(({ name }) => (
          <Link
            key={name}
            to="/devices/$deviceId/inventory"
            params={{ deviceId }}
            search={{ table: name }}
            className={name === table?.name ? 'on' : ''}
            aria-current={name === table?.name ? 'page' : undefined}
          >
            {name} <TableSign problem={stands.get(name)?.problem} />{' '}
            <span className="faint tabular">{counts.get(name)?.toLocaleString('en')}</span>
          </Link>
        ))}
      </nav>
      {table && (
        <section aria-labelledby="inventory-table" className="grow">
          <h2 id="inventory-table">
            <code>{table.name}</code>
          </h2>
          <p className="secondary">{table.description}</p>
          <LoadFailure what="Why a table does not come" query={standing} />
          <TableNote problem={stands.get(table.name)?.problem} />
          <RecordTable
            table={table}
            list={records}
            without={['device_id', 'device_name']}
            empty={!standing.isPending && <NoRows table={stands.get(table.name)} />}
            after={filters.after}
            onNext={(after) => void navigate({ search: { ...filters, after } })}
          />
        </section>
      )}
    </div>
  )
}
