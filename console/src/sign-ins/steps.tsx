import type { AuthLog, AuthLogEventType } from '@muster/contract/auth-logs.ts'
import { Mark, type MarkName } from '../components/state-shape.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

const marks: Partial<Readonly<Record<AuthLogEventType, MarkName>>> = {
  sign_in_success: 'tick',
  agent_detection_success: 'tick',
  mobile_agent_detection_success: 'tick',
  device_registration_successful: 'tick',
  agent_detection_failure: 'cross',
  device_registration_blocked: 'cross',
  device_blocked: 'cross',
  issue_viewed: 'warning',
}

/** What happened while someone signed in, in order. */
export function Steps({ signIn: { events, result } }: { signIn: AuthLog }) {
  return (
    <section aria-labelledby="steps">
      <div className="section-head">
        <h2 id="steps">Steps</h2>
        <span className="small faint">
          {events.length === 1 ? '1 step' : `${events.length} steps`}
          {result === 'Fail' && ', not signed in'}
        </span>
      </div>
      {events.length === 0 && <p className="secondary">No step was recorded.</p>}
      <ol className="steps">
        {events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
          <li key={index}>
            <Mark name={marks[event.event_type] ?? 'dash'} />
            <span className="grow">
              <span className="medium block">{visibleText(event.event_description)}</span>
              <code className="small faint">{event.event_type}</code>
            </span>
            <time className="small secondary tabular" dateTime={event.timestamp} title={fullTime(event.timestamp)}>
              {clockTime(event.timestamp)}
            </time>
          </li>
        ))}
      </ol>
    </section>
  )
}
