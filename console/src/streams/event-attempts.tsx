import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { statusText } from '../developers/status-text.ts'
import { tookText } from '../developers/took-text.ts'

/** How often it was sent, what was answered, and when it is sent next. */
export function EventAttempts({ event }: { event: SsfStreamEvent }) {
  const { attempts, attempts_count: count, next_attempt_at: next, state } = event
  return (
    <>
      <h3>Attempts</h3>
      {next !== null && (
        <p className="delivery">
          <Mark name="clock" />
          <span>
            Next <RelativeTime time={next} />
            <span className="secondary">; after each failure twice as long, a minute at most</span>
          </span>
        </p>
      )}
      {attempts.length === 0 && (
        <p className="secondary">
          {state === 'acknowledged' && 'Fetched and acknowledged by the receiver.'}
          {state === 'pending' && 'None yet.'}
          {state !== 'acknowledged' && state !== 'pending' && 'None is kept.'}
        </p>
      )}
      <ul className="lines">
        {attempts.map(({ attempted_at: at, status, error, duration_ms: took }) => (
          <li key={at} className="line">
            <Mark name={error === null ? 'tick' : 'cross'} />
            <span className="grow">
              <span className="medium">{statusText(status)}</span>
              {error !== null && <span className="small secondary block">{visibleText(error)}</span>}
            </span>
            <span className="small secondary tabular" title={fullTime(at)}>
              {clockTime(at)} · {tookText(took)}
            </span>
          </li>
        ))}
      </ul>
      {count > attempts.length && (
        <p className="small secondary">
          The latest {attempts.length} of {count.toLocaleString('en')}.
        </p>
      )}
    </>
  )
}
