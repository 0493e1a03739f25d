import type { WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import { useState } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { Mark } from '../components/state-shape.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { statusText } from '../developers/status-text.ts'
import { tookText } from '../developers/took-text.ts'

type Attempt = WebhookDeliveryDetails['attempts'][number]

/** What was answered, attempt by attempt; the latest is shown first. */
export function DeliveryAttempts({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const { attempts, attempts_count: count } = delivery
  const [chosen, setChosen] = useState<string>()
  const shown = attempts.find(({ attempted_at: at }) => at === chosen) ?? attempts[0]
  if (!shown) {
    return (
      <section>
        <h2>Response</h2>
        <p className="secondary">Not sent yet.</p>
      </section>
    )
  }
  return (
    <section>
      <div className="section-head">
        <h2>Response</h2>
        <span className="small faint">{tookText(shown.timings.total_ms)}</span>
      </div>
      <p className={shown.error === null ? 'delivery' : 'delivery bad'}>
        <Mark name={shown.error === null ? 'tick' : 'cross'} />
        <span className="medium">{statusText(shown.status)}</span>
      </p>
      {shown.error !== null && <p className="secondary breaks">{visibleText(shown.error)}</p>}
      {shown.timings.first_byte_ms > 0 && <Timings timings={shown.timings} />}
      {shown.response === null || shown.response === '' ? (
        <p className="small secondary">{shown.status === null ? '' : 'Its body was empty.'}</p>
      ) : (
        <>
          <CodeBlock text={shown.response} label="the response" />
          <p className="small secondary">
            {new TextEncoder().encode(shown.response).length.toLocaleString('en')} bytes, shown as text. The first 4 kB
            are kept.
          </p>
        </>
      )}
      <table className="table compact attempts">
        <thead>
          <tr>
            <th className="w-number">Attempt</th>
            <th>Time, UTC</th>
            <th className="w-number">Answer</th>
            <th className="numeric w-number">Took</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt, index) => (
            <tr key={attempt.attempted_at} className={attempt === shown ? 'selected' : ''}>
              <td>
                <button
                  type="button"
                  className="plain underlined"
                  aria-pressed={attempt === shown}
                  onClick={() => setChosen(attempt.attempted_at)}
                >
                  {count - index}
                </button>
              </td>
              <td className="tabular" title={fullTime(attempt.attempted_at)}>
                {clockTime(attempt.attempted_at)}
                {attempt.attempted_at.slice(0, 10) !== delivery.queued_at.slice(0, 10) && (
                  <span className="secondary"> {dayOf(attempt.attempted_at, Date.now())}</span>
                )}
              </td>
              <td>{attempt.status ?? 'none'}</td>
              <td className="numeric secondary">{tookText(attempt.timings.total_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Where the time went: looking up, connecting, securing, waiting for the answer, reading it. */
function Timings({ timings }: { timings: Attempt['timings'] }) {
  const { dns_ms: dns, connect_ms: connect, tls_ms: tls, first_byte_ms: first, total_ms: total } = timings
  const opened = dns + connect + tls
  const parts: readonly (readonly [string, number])[] = [
    ['Name', dns],
    ['Connect', connect],
    ['TLS', tls],
    ['Answer', Math.max(first - opened, 0)],
    ['Rest', Math.max(total - first, 0)],
  ]
  return (
    <dl className="timings">
      {parts.map(([name, took]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{opened === 0 && ['Name', 'Connect', 'TLS'].includes(name) ? 'open' : tookText(took)}</dd>
        </div>
      ))}
    </dl>
  )
}
