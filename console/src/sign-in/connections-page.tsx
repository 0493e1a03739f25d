import { Button } from '@mantine/core'
import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { signInReasons } from '@muster/contract/sign-in-reasons.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import './sign-in.css'
import { upstreamsQuery } from './connection-queries.ts'
import { SignInTabs } from './connection-tabs.tsx'
import {
  keysLacking,
  kindMeaning,
  kindWords,
  knownBy,
  lacksKeys,
  modeMeaning,
  modeOf,
  standingRefusal,
} from './connection-words.ts'

export function ConnectionsPage() {
  const may = useMay('manage_sign_in')
  const { data: upstreams } = useQuery(upstreamsQuery)
  return (
    <ListPage
      title="Sign-in"
      name="Sign-in connections"
      nouns={['connection', 'connections']}
      tabs={<SignInTabs />}
      actions={may && <NewConnection />}
      list={useQuery(query('listSignInConnections', { query: { per_page: 100 } }, { pace: 'usual' }))}
      filters={{}}
      read={() => ({})}
      inWords={() => ''}
      empty={
        <Emptiness title="No connections yet." guide="sign-in">
          Applications and identity providers that ask Muster about the device of whoever signs in appear here.
        </Emptiness>
      }
    >
      {(rows) => <Records rows={rows} columns={columnsWith(upstreams?.data)} />}
    </ListPage>
  )
}

/** What came last without anyone getting in: a sign-in that failed, or a request that began none. Undefined without one. */
function failureWords(connection: SignInConnectionView): string | undefined {
  const { last_failure: failure } = connection
  const refusal = standingRefusal(connection, failure?.started_at)
  if (refusal) return refusal.what
  if (failure === null) return undefined
  return failure.reason === null ? 'Not known' : signInReasons[failure.reason]
}

const NewConnection = () => (
  <Button component={Link} to="/connections/new" variant="filled" leftSection={<Icon name="plus" size={14} />}>
    New connection
  </Button>
)

const columnsWith = (upstreams: Parameters<typeof knownBy>[1]): readonly Column<SignInConnectionView>[] => [
  {
    text: 'Connection',
    className: 'c-name',
    cell: ({ id, name }) => (
      <Link to="/connections/$connectionId" params={{ connectionId: id }} className="medium ellipsis" data-row-link>
        {visibleText(name)}
      </Link>
    ),
  },
  {
    text: 'Mode',
    head: 'w-mode',
    className: 'c-lead',
    title: (connection) =>
      lacksKeys(connection) ? `${modeMeaning.disabled} ${keysLacking}` : modeMeaning[connection.mode],
    cell: modeOf,
  },
  {
    text: 'Kind',
    head: 'w-kind',
    className: 'c-more secondary',
    title: ({ kind }) => kindMeaning[kind],
    cell: ({ kind }) => kindWords[kind],
  },
  {
    text: 'Person known by',
    head: 'w-known',
    className: 'c-sub secondary',
    title: (connection) => knownBy(connection, upstreams),
    cell: (connection) => knownBy(connection, upstreams),
  },
  {
    text: 'Last 7 days',
    head: 'w-figure',
    className: 'c-more',
    cell: ({ signed_in_count: signedIn, failed_count: failed }) =>
      `${signedIn.toLocaleString('en')} in, ${failed.toLocaleString('en')} failed`,
  },
  {
    text: 'Last failure',
    head: 'w-known',
    className: 'c-more secondary',
    title: (connection) => failureWords(connection) ?? 'None in the last 30 days',
    cell: (connection) => failureWords(connection) ?? 'None',
  },
  {
    text: 'Last sign-in',
    title: ({ last_sign_in_at: time }) => (time === null ? 'None in the last 30 days' : undefined),
    head: 'numeric w-seen',
    className: 'c-time numeric secondary',
    cell: ({ last_sign_in_at: time }) => <RelativeTime time={time} missing="none" />,
  },
]
