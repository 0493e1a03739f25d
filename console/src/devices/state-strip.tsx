import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import type { Device } from '@muster/contract/devices.ts'
import { useNow } from '../components/relative-time.tsx'
import { type Standing, standingTone, standingWords } from '../components/state-shape.tsx'
import { dayOf, spanOf } from '../components/times.ts'
import { stateSpans } from './state-spans.ts'

const days = 28
const dayMs = 24 * 60 * 60_000
const width = 1_000
const minWidth = 4

type Parts = { readonly device: Device; readonly historyEntries: readonly DeviceHistoryEntry[] }

/** One device over time, in the colours of its states; the changes are listed beside it as text. */
export function StateStrip({ device, historyEntries }: Parts) {
  const now = useNow()
  const begin = now - days * dayMs
  const spans = stateSpans(device.auth_state, historyEntries, begin, now)
  const told = spans.map(({ state, from, to }) => `${standingWords[state]} for ${spanOf(to - from)}`).join(', then ')
  return (
    <div className="strip">
      <svg
        viewBox={`0 0 ${width} 14`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`In the last 28 days: ${told}.`}
      >
        {spans.map(({ state, from, to }) => (
          <Span
            key={from}
            state={state}
            x={((from - begin) / (days * dayMs)) * width}
            length={((to - from) / (days * dayMs)) * width}
          >
            {`${standingWords[state]} for ${spanOf(to - from)}`}
          </Span>
        ))}
      </svg>
      <div className="strip-axis">
        <span>{dayOf(new Date(begin).toISOString(), now)}</span>
        <span>{dayOf(new Date(begin + 14 * dayMs).toISOString(), now)}</span>
        <span>today</span>
      </div>
    </div>
  )
}

type SpanParts = { readonly state: Standing; readonly x: number; readonly length: number; readonly children: string }

/** At least a hair wide, so that an hour of being blocked is seen. */
const Span = ({ state, x, length, children }: SpanParts) => (
  <rect
    className={`bar-${standingTone[state]}`}
    x={Math.min(x, width - minWidth)}
    y="0"
    width={Math.max(length - 2, minWidth)}
    height="14"
  >
    <title>{children}</title>
  </rect>
)
