import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMay } from '../api/session.ts'
import { tablesQuery } from '../api/tables-query.ts'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { RecordTable } from './record-table.tsx'
import { tableRecordsQuery } from './table-records-query.ts'

const route = getRouteApi('/shell/reporting/tables/$name')
const crumb = { to: '/reporting/tables', text: 'Reporting tables' } as const

export function TablePage() {
  const { name } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const tables = useQuery(tablesQuery)
  const table = tables.data?.find((one) => one.name === name)
  const records = useQuery({ ...tableRecordsQuery(name, { after }), enabled: table !== undefined })
  const mayWrite = useMay('create_live_query')
  return (
    <Page
      title={table?.name ?? (tables.isPending ? 'Table' : 'No such table')}
      crumb={crumb}
      actions={
        table &&
        mayWrite && (
          <Link className="line-button" to="/reporting/queries/new" search={{ table: table.name }}>
            Query this table
          </Link>
        )
      }
    >
      <div className="page">
        {tables.isError && (
          <Failure what="The table could not be loaded." error={tables.error} onRetry={() => void tables.refetch()} />
        )}
        {tables.isPending && <SkeletonRows rows={4} />}
        {tables.data && !table && (
          <Emptiness title={`There is no table ${name}.`}>
            <Link className="underlined" to="/reporting/tables">
              All tables
            </Link>
          </Emptiness>
        )}
        {table && (
          <>
            <p className="secondary">
              {table.description}{' '}
              <a className="underlined" href={`/docs/reporting#${table.name}`}>
                Columns
              </a>
            </p>
            <RecordTable
              table={table}
              list={records}
              empty={<Emptiness title="The table is empty.">Devices report its contents within hours.</Emptiness>}
              after={after}
              onNext={(next) => void navigate({ search: { after: next } })}
            />
          </>
        )}
      </div>
    </Page>
  )
}
