import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { isConnected, listenersInWords, NothingConnected } from '../../components/block-effect.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failure, SkeletonRows } from '../../components/notices.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { Mark, StateCell } from '../../components/state-shape.tsx'
import { clockTime, dayOf, deadlineOf, relativeTime } from '../../components/times.ts'
import { visibleText } from '../../components/visible-text.ts'
import { devices, people } from '../check-words.ts'
import { movesInWords, releasedInWords } from './moves-in-words.ts'
import { heldOf, takenBackOf } from './preview-words.ts'
import { sparedWords, undecidedWords } from './reason-words.ts'

type Parts = {
  readonly preview: ConfigurationPreview | undefined
  readonly error: unknown
  readonly isOld: boolean
  readonly isChanged: boolean
  readonly isBlocking: boolean
  readonly onRetry: () => void
  readonly onAll: () => void
  readonly onExport: () => void
}

type TabName = 'blocked' | 'spared' | 'undecided'

/** Who would be blocked now and at the end of grace, who is spared, and of whom nothing is known. */
export function PreviewPanel(parts: Parts) {
  const { preview, error, isOld, isChanged, isBlocking } = parts
  return (
    <aside className={isOld ? 'preview stale' : 'preview'} aria-label="Preview" aria-busy={isOld}>
      <div className="section-head">
        <h2>{isChanged ? 'If you save this' : 'Current settings'}</h2>
        {preview && (
          <span className="small faint">from results up to {clockTime(preview.computed_at).slice(0, 5)} UTC</span>
        )}
      </div>
      {error !== null && !preview && (
        <Failure what="The preview could not be made." error={error} onRetry={parts.onRetry} />
      )}
      {!preview && error === null && <SkeletonRows rows={5} />}
      {preview && <Outlook preview={preview} isBlocking={isBlocking} />}
      {preview?.held && <Held held={preview.held} />}
      {preview && isBlocking && <Lists {...parts} preview={preview} />}
      {preview && <Remarks preview={preview} isBlocking={isBlocking} />}
    </aside>
  )
}

function Outlook({ preview, isBlocking }: { preview: ConfigurationPreview; isBlocking: boolean }) {
  const now = Date.parse(preview.computed_at)
  if (!isBlocking) {
    return (
      <p className="secondary">
        The check blocks nobody.
        {preview.released > 0 && ` ${releasedInWords(preview.released)}`}
      </p>
    )
  }
  const isLater = preview.ends_at > preview.computed_at
  return (
    <div className="outlook">
      <div>
        <div className="small faint">{isLater ? 'Now' : 'Immediately'}</div>
        <div className={preview.blocked_now > 0 ? 'outlook-count bad' : 'outlook-count'}>
          <span>{preview.blocked_now.toLocaleString('en')}</span> blocked
        </div>
        <div className="small secondary">{movesOf(preview)}</div>
      </div>
      {isLater && (
        <div>
          <div className="small faint">End of grace · {deadlineOf(preview.ends_at, now)} UTC</div>
          <div className={preview.blocked_at_end > 0 ? 'outlook-count bad' : 'outlook-count'}>
            <span>{preview.blocked_at_end.toLocaleString('en')}</span> blocked
          </div>
          <div className="small secondary">{ownersOf(preview)}</div>
        </div>
      )}
    </div>
  )
}

const Held = ({ held }: { held: NonNullable<ConfigurationPreview['held']> }) => (
  <p className="secondary">
    <b className="medium">Will be held:</b> {heldOf(held)} {takenBackOf(held)}
  </p>
)

function movesOf({ moves, ends_at, computed_at, ...preview }: ConfigurationPreview): string {
  const words = movesInWords(moves)
  if (words !== '') return words
  return ends_at > computed_at || preview.blocked_now === 0
    ? 'No device changes state'
    : ownersOf({ moves, ends_at, computed_at, ...preview })
}

function ownersOf({
  people: count,
  people_on_only_device: only,
  blocked_at_end: blocked,
}: ConfigurationPreview): string {
  if (blocked === 0) return 'No failing device can be blocked'
  const alone = only > 0 ? `, ${only.toLocaleString('en')} of them on their only device` : ''
  return `if nobody fixes it: ${people(count)}${alone}`
}

function Lists({ preview, onAll, onExport }: Parts & { readonly preview: ConfigurationPreview }) {
  const [shown, setShown] = useState<TabName>('blocked')
  const now = Date.parse(preview.computed_at)
  const isLater = preview.ends_at > preview.computed_at
  const sum = (rows: readonly { readonly count: number }[]) => rows.reduce((total, { count }) => total + count, 0)
  const counts = {
    blocked: preview.blocked_at_end,
    spared: sum(preview.spared_by),
    undecided: sum(preview.undecided_by),
  }
  const words = {
    blocked: isLater ? `Blocked ${dayOf(preview.ends_at, now)}` : 'Blocked now',
    spared: preview.spared_by.some(({ reason }) => reason === 'held') ? 'Not blocked' : 'Never blocked',
    undecided: 'No result yet',
  }
  const listed = preview[shown].length
  return (
    <>
      <div className="views">
        {(['blocked', 'spared', 'undecided'] as const).map((name) => (
          <button
            type="button"
            key={name}
            className={name === shown ? 'on' : ''}
            aria-pressed={name === shown}
            onClick={() => setShown(name)}
          >
            {words[name]} <span className="count">{counts[name].toLocaleString('en')}</span>
          </button>
        ))}
      </div>
      {counts[shown] === 0 && (
        <p className="secondary small preview-none">
          {shown === 'blocked' && preview.held
            ? 'No device is blocked before you release these blocks.'
            : noneOf[shown]}
        </p>
      )}
      {counts[shown] > 0 && shown === 'blocked' && <BlockedTable preview={preview} isLater={isLater} />}
      {counts[shown] > 0 && shown !== 'blocked' && (
        <ReasonTable
          rows={
            shown === 'spared'
              ? preview.spared.map((row) => ({ ...row, words: sparedWords(row) }))
              : preview.undecided.map((row) => ({ ...row, words: undecidedWords[row.reason] }))
          }
        />
      )}
      {counts[shown] > 0 && (
        <div className="row between small faint preview-foot">
          {listed < counts[shown] ? (
            listed < 1_000 ? (
              <button type="button" className="plain underlined secondary" onClick={onAll}>
                All {devices(counts[shown])}
              </button>
            ) : (
              <span>Showing the first 1,000.</span>
            )
          ) : (
            <span>{devices(counts[shown])}</span>
          )}
          {shown === 'blocked' && (
            <button type="button" className="plain underlined secondary" onClick={onExport}>
              Export CSV
            </button>
          )}
        </div>
      )}
    </>
  )
}

const noneOf: Readonly<Record<TabName, string>> = {
  blocked: 'No device that the check can block is failing.',
  spared: 'No failing device is excepted.',
  undecided: 'Every device has a result.',
}

const NamedDevice = ({ id, name, below }: { id: string; name: string; below: string }) => (
  <td>
    <Link to="/devices/$deviceId" params={{ deviceId: id }} className="medium ellipsis" title={name}>
      {name}
    </Link>
    <div className="small faint ellipsis" title={below}>
      {below}
    </div>
  </td>
)

function BlockedTable({ preview, isLater }: { preview: ConfigurationPreview; isLater: boolean }) {
  const now = Date.parse(preview.computed_at)
  return (
    <Scroller name="Devices that would be blocked" className="preview-list">
      <table className="table compact preview-table">
        <thead>
          <tr>
            <th>Device</th>
            <th className="w-today">Today</th>
            <th className="w-saved">After saving</th>
            {isLater && <th className="w-end">{dayOf(preview.ends_at, now)}</th>}
          </tr>
        </thead>
        <tbody>
          {preview.blocked.map((row) => (
            <tr key={row.device_id}>
              <NamedDevice id={row.device_id} name={visibleText(row.device_name)} below={belowOf(row, now)} />
              <td>
                <StateCell standing={row.today} />
              </td>
              <td>
                <Next state={row.after_saving} before={row.today} />
              </td>
              {isLater && (
                <td>
                  <Next state={row.at_end} before={row.today === 'blocked' ? row.today : row.after_saving} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

type State = ConfigurationPreview['blocked'][number]['today']

const Next = ({ state, before }: { state: State; before: State }) =>
  state === before ? <span className="faint">no change</span> : <StateCell standing={state} />

function belowOf(row: ConfigurationPreview['blocked'][number], now: number): string {
  const parts = [
    row.owner_name === null ? 'Not registered' : visibleText(row.owner_name),
    row.today === 'blocked' && 'already blocked',
    row.today === 'will_block' && row.will_block_at !== null && `blocks ${relativeTime(row.will_block_at, now)}`,
    row.is_only_device && 'only device',
  ]
  return parts.filter(Boolean).join(' · ')
}

type ReasonRow = {
  readonly device_id: string
  readonly device_name: string
  readonly owner_name: string | null
  readonly words: string
}

const ReasonTable = ({ rows }: { rows: readonly ReasonRow[] }) => (
  <Scroller name="Devices" className="preview-list">
    <table className="table compact preview-table">
      <thead>
        <tr>
          <th>Device</th>
          <th>Reason</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.device_id}>
            <NamedDevice
              id={row.device_id}
              name={visibleText(row.device_name)}
              below={row.owner_name === null ? 'Not registered' : visibleText(row.owner_name)}
            />
            <td className="secondary" title={row.words}>
              {row.words}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroller>
)

function Remarks({ preview, isBlocking }: { preview: ConfigurationPreview; isBlocking: boolean }) {
  const listeners = listenersInWords(preview.receivers)
  const { connections } = preview.receivers
  const exceptions = preview.spared_by.filter(({ reason }) => reason !== 'held')
  const spared = exceptions.map((row) => `${row.count.toLocaleString('en')} ${sparedWords(row)}`)
  const undecided = preview.undecided_by.map((row) => `${row.count.toLocaleString('en')} ${undecidedWords[row.reason]}`)
  return (
    <ul className="remarks">
      {isBlocking && spared.length > 0 && (
        <li>
          <Mark name="struck" />
          <span>
            <b className="medium">Never blocked:</b> {spared.join(', ')}.
          </span>
        </li>
      )}
      {isBlocking && undecided.length > 0 && (
        <li>
          <Mark name="question" />
          <span>
            <b className="medium">No result yet:</b> {undecided.join(', ')}. A failure found later starts its own grace
            period.
          </span>
        </li>
      )}
      {isBlocking && !isConnected(preview.receivers) && (
        <li>
          <Icon name="signals" size={14} />
          <span>
            <NothingConnected />
          </span>
        </li>
      )}
      {isBlocking && connections > 0 && (
        <li>
          <Mark name="cross" />
          <span>
            {connections === 1 ? '1 sign-in connection refuses' : `${connections} sign-in connections refuse`} each
            blocked device.
          </span>
        </li>
      )}
      {isBlocking && listeners !== undefined && (
        <li>
          <Icon name="signals" size={14} />
          <span>{listeners} will hear of each device.</span>
        </li>
      )}
      {preview.joined > 0 && (
        <li>
          <Mark name="pending" />
          <span>The check starts to run on {devices(preview.joined)}.</span>
        </li>
      )}
      {preview.left > 0 && (
        <li>
          <Mark name="dash" />
          <span>The check stops running on {devices(preview.left)}; its issues there are resolved.</span>
        </li>
      )}
      {preview.changed.includes('options') && (
        <li>
          <Mark name="dash" />
          <span>Other options ask another question: results become stale, and these figures are of the old one.</span>
        </li>
      )}
    </ul>
  )
}
