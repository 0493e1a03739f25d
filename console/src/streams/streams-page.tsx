import { Button } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queryClient } from '../api/query-client.ts'
import { useMay } from '../api/session.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { Health } from '../components/health.tsx'
import { Icon } from '../components/icon.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { RowMenu, RowMenuHead } from '../components/row-menu.tsx'
import { Scroller } from '../components/scroller.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { streamsQuery } from './stream-queries.ts'
import { useStreamVerbs } from './stream-verbs.tsx'

const route = getRouteApi('/shell/settings/developers/streams')

export function StreamsPage() {
  const may = useMay('manage_ssf_streams')
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const streams = useQuery({ ...streamsQuery(after), enabled: may })
  const rows = streams.data?.data ?? []
  return (
    <Page
      title="Shared Signals"
      actions={
        may && (
          <Button
            component={Link}
            to="/settings/developers/streams/new"
            variant="filled"
            leftSection={<Icon name="plus" size={14} />}
          >
            New stream
          </Button>
        )
      }
    >
      <div className="page">
        {!may && <MissingPermission power="manage_ssf_streams" />}
        {streams.isError && (
          <Failure what="Streams could not be loaded." error={streams.error} onRetry={() => void streams.refetch()} />
        )}
        {may && streams.isPending && <SkeletonRows rows={4} />}
        {streams.data && rows.length === 0 && (
          <Emptiness title="No streams yet." guide="streams">
            Streams tell your identity provider the moment a device becomes compliant or non-compliant.
          </Emptiness>
        )}
        {rows.length > 0 && (
          <Scroller isList name="Streams">
            <table className="t record-table">
              <thead>
                <tr>
                  <th>Stream</th>
                  <th className="w-kind">Delivery</th>
                  <th>Receiver</th>
                  <th className="w-health">Health</th>
                  <th className="num w-seen">Latest accepted</th>
                  <RowMenuHead />
                </tr>
              </thead>
              <tbody>
                {rows.map((stream) => (
                  <tr key={stream.id}>
                    <td className="c-name">
                      <Link
                        to="/settings/developers/streams/$streamId"
                        params={{ streamId: stream.id }}
                        className="m ell"
                        data-row-link
                      >
                        {visibleText(stream.name)}
                      </Link>
                    </td>
                    <td className="c-more t2">{stream.delivery_type === 'push' ? 'Push' : 'Poll'}</td>
                    <td className="c-sub" title={stream.delivery.endpoint_url}>
                      <code className="t2">{stream.delivery.endpoint_url}</code>
                    </td>
                    <td className="c-lead" title={stream.health.last_error ?? undefined}>
                      <Health state={stream.health.state} />
                    </td>
                    <td className="c-time num t2">
                      <RelativeTime time={stream.health.last_delivered_at} missing="never" />
                    </td>
                    <td className="c-menu">
                      <RowMenu name={visibleText(stream.name)}>
                        {(menu) => <StreamMenu stream={stream} menu={menu} />}
                      </RowMenu>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
        {streams.data && (
          <CursorPaging
            current={after ?? ''}
            next={streams.data.pagination.next_cursor}
            shown={rows.length}
            onNext={(next) => void navigate({ search: { after: next } })}
          />
        )}
      </div>
    </Page>
  )
}

const readAnew = () => void queryClient.invalidateQueries({ queryKey: ['streams', 'list'] })

function StreamMenu({ stream, menu }: { stream: SsfStream; menu: (items: ReactNode) => ReactNode }) {
  const { verbs, dialogs } = useStreamVerbs(stream, readAnew)
  const { test, verify, enable, replay, pause, disable } = verbs
  return (
    <>
      {menu(<VerbItems verbs={[enable, test, verify, replay, pause, disable, verbs.delete]} />)}
      {dialogs}
    </>
  )
}
