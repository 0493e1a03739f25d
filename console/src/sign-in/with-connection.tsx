import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import './sign-in.css'
import { ConnectionActions } from './connection-actions.tsx'
import { connectionQuery, upstreamsQuery } from './connection-queries.ts'
import { keysLacking, kindMeaning, kindWords, knownBy, lacksKeys, modeOf } from './connection-words.ts'

export const connectionsCrumb = { to: '/connections', text: 'Sign-in' } as const

type Parts = { readonly id: string; readonly children: (connection: SignInConnectionView) => ReactNode }

/** A page of a connection with its head, or why there is none. */
export const WithConnection = ({ id, children }: Parts) => (
  <RecordPage
    record={useQuery(connectionQuery(id))}
    nouns={['connection', 'connections']}
    id={id}
    crumb={connectionsCrumb}
    why="It may have been deleted."
  >
    {(connection) => (
      <Page
        title={visibleText(connection.name)}
        crumb={connectionsCrumb}
        hasOwnTitle
        actions={<ConnectionActions connection={connection} />}
      >
        <div className="page log-head">
          <Head connection={connection} />
        </div>
        <div className="page below form-page">{children(connection)}</div>
      </Page>
    )}
  </RecordPage>
)

function Head({ connection }: { connection: SignInConnectionView }) {
  const params = { connectionId: connection.id }
  const { data: upstreams } = useQuery(upstreamsQuery)
  return (
    <>
      <div className="title-row">
        <h1 tabIndex={-1} className="breaks">
          {visibleText(connection.name)}
        </h1>
        <span className="pill idle">{modeOf(connection)}</span>
      </div>
      <p className="secondary">{kindMeaning[connection.kind]}</p>
      {lacksKeys(connection) && <p className="note will">It is disabled: it has no keys. {keysLacking}</p>}
      <dl className="fact-row">
        <div>
          <dt>Kind</dt>
          <dd>{kindWords[connection.kind]}</dd>
        </div>
        <div>
          <dt>Person known by</dt>
          <dd className="breaks">{knownBy(connection, upstreams?.data)}</dd>
        </div>
        <div>
          <dt>Signed in, 7 d</dt>
          <dd>{connection.signed_in_count.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Failed, 7 d</dt>
          <dd>{connection.failed_count.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Last sign-in</dt>
          <dd>
            <RelativeTime time={connection.last_sign_in_at} missing="None in 30 d" />
          </dd>
        </div>
        <div>
          <dt>Added</dt>
          <dd>
            <RelativeTime time={connection.created_at} />
          </dd>
        </div>
      </dl>
      <Tabs label="Connection">
        <Link {...asTab} to="/connections/$connectionId" params={params}>
          Mode
        </Link>
        <Link {...asTab} to="/connections/$connectionId/setup" params={params}>
          Set up
        </Link>
        <Link {...asTab} to="/connections/$connectionId/settings" params={params}>
          Settings
        </Link>
      </Tabs>
    </>
  )
}
