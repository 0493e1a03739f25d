import type { WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import { webhookRetryDelaysMs } from '@muster/contract/webhook-retries.ts'
import { Scroller } from '../components/scroller.tsx'
import { Mark } from '../components/state-shape.tsx'
import { clockTime, dayOf, relativeTime, weekdayOf } from '../components/times.ts'

type Step =
  | { readonly kind: 'made'; readonly at: string; readonly status: number | null; readonly isGood: boolean }
  | { readonly kind: 'next' | 'later'; readonly at: string }

const maxAttempts = webhookRetryDelaysMs.length + 1

/** What was tried, what is tried next, and when the rest would be: the last are planned, give or take a fifth. */
export function stepsOf(delivery: WebhookDeliveryDetails): readonly Step[] {
  const made: Step[] = [...delivery.attempts]
    .reverse()
    .map(({ attempted_at: at, status, error }) => ({ kind: 'made', at, status, isGood: error === null }))
  const { next_attempt_at: next, attempts_count: count, probes_count: probes } = delivery
  if (next === null) return made
  const steps: Step[] = [...made, { kind: 'next', at: next }]
  let at = new Date(next).getTime()
  for (let attempt = count - probes + 1; attempt < maxAttempts; attempt += 1) {
    at += webhookRetryDelaysMs[attempt - 1] ?? 0
    steps.push({ kind: 'later', at: new Date(at).toISOString() })
  }
  return steps
}

const isSameDay = (left: string, right: string) => left.slice(0, 10) === right.slice(0, 10)

/** The attempts of a delivery, side by side. */
export function AttemptSchedule({ delivery, now }: { delivery: WebhookDeliveryDetails; now: number }) {
  const steps = stepsOf(delivery)
  if (steps.length === 0) return null
  return (
    <Scroller name="Attempts, made and planned">
      <ol className="schedule">
        {steps.map((step, index) => (
          <li key={`${step.kind} ${step.at}`} className={`step ${step.kind}`}>
            <StepMark step={step} />
            <span className={step.kind === 'made' && !step.isGood ? 'bad' : ''}>{wordOf(step, now)}</span>
            <span className="small secondary tabular">
              {timeOf(step.at, steps[index - 1]?.at ?? new Date(now).toISOString(), now)}
            </span>
          </li>
        ))}
      </ol>
    </Scroller>
  )
}

const StepMark = ({ step }: { step: Step }) => (
  <span className={`step-mark ${step.kind} ${step.kind === 'made' && !step.isGood ? 'failed' : ''}`} aria-hidden="true">
    {step.kind === 'made' && <Mark name={step.isGood ? 'tick' : 'cross'} />}
    {step.kind === 'next' && <Mark name="clock" />}
  </span>
)

function wordOf(step: Step, now: number): string {
  if (step.kind === 'made') return step.status === null ? 'no answer' : String(step.status)
  if (step.kind === 'later') return 'planned'
  return new Date(step.at).getTime() <= now ? 'now' : relativeTime(step.at, now)
}

/** To the second where it was; the day only where it changes. */
function timeOf(at: string, before: string, now: number): string {
  if (new Date(at).getTime() <= now) return isSameDay(at, before) ? clockTime(at) : `${dayOf(at, now)} ${clockTime(at)}`
  const minutes = clockTime(at).slice(0, 5)
  return isSameDay(at, before) ? minutes : `${weekdayOf(at)} ${minutes}`
}
