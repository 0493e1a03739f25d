import { Button } from '@mantine/core'
import type { Check } from '@muster/contract/checks.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { request, withQuery } from '../api/request.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Scroller } from '../components/scroller.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { visibleText } from '../components/visible-text.ts'
import type { ListOf } from '../devices/device-queries.ts'
import { Page } from '../shell/page.tsx'

const route = getRouteApi('/shell/checks')
const platformWords = { darwin: 'macOS', windows: 'Windows', linux: 'Linux' } as const

type Filters = { readonly q?: string; readonly after?: string }

const checksQuery = ({ q = '', after }: Filters) =>
  queryOptions({
    queryKey: ['checks', 'list', q, after],
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    queryFn: ({ signal }) => {
      // A quotation mark cannot be searched for.
      const text = q.replace(/["\\]/g, ' ').trim()
      const query = text === '' ? '' : `name~"${text}" OR slug~"${text}"`
      return request<ListOf<Check>>(withQuery('/checks', { per_page: 100, query, cursor: after }), { signal })
    },
  })

export function ChecksPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const checks = useQuery(checksQuery(filters))
  const rows = checks.data?.data ?? []
  return (
    <Page title="Checks">
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name or slug"
          onChange={(q) => void navigate({ search: q === '' ? {} : { q }, replace: true })}
        />
      </search>
      {checks.isError && (
        <div className="page">
          <Failure what="Checks could not be loaded." error={checks.error} onRetry={() => void checks.refetch()} />
        </div>
      )}
      {checks.isPending && <SkeletonRows rows={10} />}
      {checks.data && rows.length === 0 && (
        <div className="page">
          {filters.q ? (
            <Emptiness
              title="No check matches."
              action={<Button onClick={() => void navigate({ search: {} })}>Clear the search</Button>}
            >
              {`Name or slug holds “${filters.q}”.`}
            </Emptiness>
          ) : (
            <Emptiness title="No check is on yet.">
              <code>muster checks</code> lists the catalogue and switches checks on.
            </Emptiness>
          )}
        </div>
      )}
      {rows.length > 0 && <CheckTable rows={rows} />}
      {checks.data && (
        <CursorPaging
          current={filters.after ?? ''}
          next={checks.data.pagination.next_cursor}
          shown={rows.length}
          onNext={(after) => void navigate({ search: { ...filters, after } })}
        />
      )}
    </Page>
  )
}

const CheckTable = ({ rows }: { rows: readonly Check[] }) => (
  <Scroller name="Checks" className="bleed">
    <table className="t bl check-table">
      <thead>
        <tr>
          <th>Check</th>
          <th className="w-platforms">Runs on</th>
          <th className="w-strategy">Blocks</th>
          <th className="w-kind">Kind</th>
          <th className="num w-passing">Passing</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((check) => {
          const { blocking_enabled: isBlocking } = check.blocks_auth_configuration
          return (
            <tr key={check.id} className="tall">
              <td title={visibleText(check.description)}>
                <span className="m ell">{visibleText(check.name)}</span>
                <div className="sm t2 ell">{visibleText(check.description)}</div>
              </td>
              <td className="t2">{check.compatible_platforms.map((name) => platformWords[name]).join(', ')}</td>
              <td>{isBlocking ? 'Yes' : <span className="t2">No</span>}</td>
              <td className="t2">{check.kolide_provided ? 'Catalogue' : 'Own'}</td>
              <td className="num">{check.percent_passing}&thinsp;%</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  </Scroller>
)
