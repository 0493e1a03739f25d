import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { dayOf } from '../../components/times.ts'
import type { Draft } from './draft.ts'

type Strategy = Draft['strategy']

const meanings: Readonly<Record<Strategy, string>> = {
  report_only: 'Recorded in results and reports. Owners see nothing.',
  notify_only: 'The device is Notified, never blocked.',
  warn_then_block: 'The device is Will Block with a deadline, then Blocked.',
  block_immediately: 'The device is Blocked as soon as the check fails.',
}

const order: readonly Strategy[] = ['report_only', 'notify_only', 'warn_then_block', 'block_immediately']

type Parts = {
  readonly chosen: Strategy
  readonly saved: Strategy
  readonly preview: ConfigurationPreview | undefined
  readonly onChange: (strategy: Strategy) => void
}

/** Each strategy with what it would do, at its right edge. */
export const StrategyChoice = ({ chosen, saved, preview, onChange }: Parts) => (
  <fieldset className="strategies">
    <legend>When it fails</legend>
    {order.map((strategy) => (
      <label key={strategy} className={strategy === chosen ? 'on' : ''}>
        <input
          type="radio"
          name="strategy"
          value={strategy}
          checked={strategy === chosen}
          onChange={() => onChange(strategy)}
        />
        <span className="grow">
          <span className="medium">{strategyWords[strategy]}</span>
          {strategy === saved && <span className="faint"> · current</span>}
          <span className="small faint block">{meanings[strategy]}</span>
        </span>
        {preview && <Effect strategy={strategy} preview={preview} />}
      </label>
    ))}
  </fieldset>
)

function Effect({ strategy, preview }: { strategy: Strategy; preview: ConfigurationPreview }) {
  const effect = preview.effects[strategy]
  const text = effectText(strategy, effect, Date.parse(preview.computed_at))
  return <span className={effect.blocked_at_end > 0 ? 'small tabular bad' : 'small tabular faint'}>{text}</span>
}

function effectText(strategy: Strategy, effect: ConfigurationPreview['effects'][Strategy], now: number): string {
  if (strategy === 'report_only') return 'owners see nothing'
  if (strategy === 'notify_only') return `${effect.notified.toLocaleString('en')} notified`
  const [first, last] = [effect.blocked_now.toLocaleString('en'), effect.blocked_at_end.toLocaleString('en')]
  return Date.parse(effect.ends_at) <= now ? `${first} now` : `${first} now, ${last} on ${dayOf(effect.ends_at, now)}`
}
