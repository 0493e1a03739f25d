import { Button } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { refresh } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Health } from '../components/health.tsx'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { readAfter } from '../components/read-filters.ts'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { menuColumn } from '../components/row-menu.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import { streamsQuery } from './stream-queries.ts'
import { useStreamVerbs } from './stream-verbs.tsx'

const route = getRouteApi('/shell/settings/developers/streams')

export function StreamsPage() {
  const may = useMay('manage_ssf_streams')
  const filters = readAfter(route.useSearch())
  const navigate = route.useNavigate()
  return (
    <ListPage
      title="Shared Signals"
      name="Streams"
      nouns={['stream', 'streams']}
      {...(!may && { lacks: 'manage_ssf_streams' })}
      actions={may && <NewStream />}
      list={useQuery({ ...streamsQuery(filters.after), enabled: may })}
      filters={filters}
      read={readAfter}
      inWords={() => ''}
      onShow={(search) => void navigate({ search })}
      empty={
        <Emptiness title="No streams yet." guide="streams">
          Streams tell your identity provider the moment a device becomes compliant or non-compliant.
        </Emptiness>
      }
    >
      {(rows) => <Records rows={rows} columns={columns} />}
    </ListPage>
  )
}

const NewStream = () => (
  <Button
    component={Link}
    to="/settings/developers/streams/new"
    variant="filled"
    leftSection={<Icon name="plus" size={14} />}
  >
    New stream
  </Button>
)

const columns: readonly Column<SsfStream>[] = [
  {
    text: 'Stream',
    className: 'c-name',
    cell: ({ id, name }) => (
      <Link
        to="/settings/developers/streams/$streamId"
        params={{ streamId: id }}
        className="medium ellipsis"
        data-row-link
      >
        {visibleText(name)}
      </Link>
    ),
  },
  {
    text: 'Delivery',
    head: 'w-kind',
    className: 'c-more secondary',
    cell: ({ delivery_type: type }) => (type === 'push' ? 'Push' : 'Poll'),
  },
  {
    text: 'Receiver',
    className: 'c-sub',
    title: ({ delivery }) => delivery.endpoint_url,
    cell: ({ delivery }) => <code className="secondary">{delivery.endpoint_url}</code>,
  },
  {
    text: 'Health',
    head: 'w-health',
    className: 'c-lead',
    title: ({ health }) => health.last_error,
    cell: ({ health }) => <Health state={health.state} />,
  },
  {
    text: 'Latest accepted',
    head: 'numeric w-seen',
    className: 'c-time numeric secondary',
    cell: ({ health }) => <RelativeTime time={health.last_delivered_at} missing="never" />,
  },
  menuColumn({
    nameOf: ({ name }) => visibleText(name),
    menuOf: (stream) => (menu) => <StreamMenu stream={stream} menu={menu} />,
  }),
]

const reread = () => void refresh('listSsfStreams')

function StreamMenu({ stream, menu }: { stream: SsfStream; menu: (items: ReactNode) => ReactNode }) {
  const { verbs, dialogs } = useStreamVerbs(stream, reread)
  const { test, verify, enable, replay, pause, disable } = verbs
  return (
    <>
      {menu(<VerbItems verbs={[enable, test, verify, replay, pause, disable, verbs.delete]} />)}
      {dialogs}
    </>
  )
}
