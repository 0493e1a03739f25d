import { Button } from '@mantine/core'
import type { SignInState } from '@muster/contract/console.ts'
import { browserName } from './browser-name.ts'
import { RelativeTime } from './relative-time.tsx'
import { Scroller } from './scroller.tsx'
import { visibleText } from './visible-text.ts'

type Session = SignInState['sessions'][number]

const methods: Readonly<Record<Session['method'], string>> = {
  password: 'Password',
  link: 'One-time link',
  passkey: 'Passkey',
  oidc: 'Identity provider',
}

type Parts = {
  readonly sessions: readonly Session[]
  /** Undefined: they are ended all at once only. */
  readonly onEnd?: (session: Session) => void
}

/** Where someone is signed in. */
export const SessionTable = ({ sessions, onEnd }: Parts) => (
  <Scroller name="Sessions">
    <table className="table record-table session-table">
      <thead>
        <tr>
          <th>Browser</th>
          <th className="w-method">Signed in by</th>
          <th className="w-address">From</th>
          <th className="numeric w-began">Began</th>
          <th className="numeric w-began">Last used</th>
          {onEnd && (
            <th className="w-end">
              <span className="hidden">End</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <td className="c-name" title={session.user_agent === null ? undefined : visibleText(session.user_agent)}>
              <span className="medium">{visibleText(browserName(session.user_agent))}</span>{' '}
              {session.is_current && <span className="tag">This one</span>}
            </td>
            <td className="c-sub secondary">{methods[session.method]}</td>
            <td className="c-lead">
              <code className="secondary">{session.ip_address}</code>
            </td>
            <td className="c-more numeric secondary">
              <RelativeTime time={session.created_at} />
            </td>
            <td className="c-time numeric secondary">
              <RelativeTime time={session.last_seen_at} />
            </td>
            {onEnd && (
              <td className="numeric">
                {!session.is_current && (
                  <Button
                    aria-label={`End the session in ${visibleText(browserName(session.user_agent))}`}
                    onClick={() => onEnd(session)}
                  >
                    End
                  </Button>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroller>
)
