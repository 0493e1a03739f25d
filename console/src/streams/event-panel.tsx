import { Button } from '@mantine/core'
import type { StreamEventView } from '@muster/contract/console-developers.ts'
import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { Icon } from '../components/icon.tsx'
import { RecordNotices } from '../components/record-page.tsx'
import { SidePanel } from '../components/side-panel.tsx'
import { fullTime } from '../components/times.ts'
import { toast } from '../components/toasts.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { JsonBlock } from '../developers/json-block.tsx'
import { reasonIn } from './decode-token.ts'
import { EventAttempts } from './event-attempts.tsx'
import { eventKinds } from './event-filters.ts'
import { DeliveryState, subjectOf } from './event-table.tsx'
import { EventToken } from './event-token.tsx'
import { streamEventsQuery } from './stream-queries.ts'

type Parts = {
  readonly streamId: string
  readonly eventId: string
  /** What the list shows, for the name of the device and the event before and after. */
  readonly rows: readonly StreamEventView[]
  readonly onShow: (eventId: string) => void
  readonly onClose: () => void
}

export function EventPanel({ streamId, eventId, rows, onShow, onClose }: Parts) {
  const event = useQuery(query('getSsfStreamEvent', { params: { streamId, eventId } }, { pace: 'watched' }))
  const place = rows.findIndex(({ id }) => id === eventId)
  const [before, after] = [rows[place - 1], place === -1 ? undefined : rows[place + 1]]
  const title = event.data ? `Event ${event.data.sequence ?? ''}` : 'Event'
  return (
    <SidePanel title={title} name="Event" onClose={onClose}>
      <div className="row panel-steps">
        <span className="small secondary grow">{event.data && fullTime(event.data.queued_at)}</span>
        <Step label="Previous event" letter="[" icon="chevronUp" to={before} onShow={onShow} />
        <Step label="Next event" letter="]" icon="chevronDown" to={after} onShow={onShow} />
      </div>
      <RecordNotices record={event} noun="event" id={eventId} why="It is not in the ledger of this stream." />
      {event.data && <LoadedEvent streamId={streamId} event={event.data} name={rows[place]?.device_name ?? null} />}
    </SidePanel>
  )
}

type StepParts = {
  readonly label: string
  readonly letter: '[' | ']'
  readonly icon: 'chevronUp' | 'chevronDown'
  readonly to: StreamEventView | undefined
  readonly onShow: (eventId: string) => void
}

const Step = ({ label, letter, icon, to, onShow }: StepParts) => (
  <button
    type="button"
    className="copy"
    aria-label={label}
    data-press={letter}
    disabled={to === undefined}
    onClick={() => to && onShow(to.id)}
  >
    <Icon name={icon} size={14} />
  </button>
)

type EventParts = { readonly streamId: string; readonly event: SsfStreamEvent; readonly name: string | null }

function LoadedEvent({ streamId, event, name }: EventParts) {
  const replay = useAction({
    act: () => api('replaySsfStreamEvents', { params: { streamId }, body: { jtis: [event.jti] } }),
    refresh: ['streams'],
    said: ({ replayed_count: count }) => (count === 0 ? 'The event is already waiting' : 'The event is sent again'),
  })
  const copy = async (token: string) => {
    await navigator.clipboard.writeText(token)
    toast('The token is copied')
  }
  const { token } = event
  return (
    <>
      <Summary event={event} name={name} />
      <p>
        <DeliveryState event={event} />
      </p>
      {event.error && (
        <p className="note blocked">
          {visibleText([event.error.err, event.error.description].filter(Boolean).join(': ') || 'Not delivered')}
        </p>
      )}
      <div className="form-ends">
        {event.state !== 'pending' && (
          <Button
            leftSection={<Icon name="send" size={14} />}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          >
            Replay this event
          </Button>
        )}
        {token !== null && (
          <Button leftSection={<Icon name="copy" size={14} />} onClick={() => void copy(token)}>
            Copy token
          </Button>
        )}
        <SameCause streamId={streamId} event={event} />
      </div>
      {token === null ? <UnsignedToken event={event} /> : <EventToken token={token} streamId={streamId} />}
      <EventAttempts event={event} />
    </>
  )
}

/** What else the same change caused; nothing when it caused only this. */
function SameCause({ streamId, event }: Omit<EventParts, 'name'>) {
  const cause = { txn: event.txn, around: event.queued_at }
  const { data: found } = useQuery(streamEventsQuery(streamId, cause))
  const count = found?.data.length ?? 0
  if (count < 2) return null
  return (
    <Link className="underlined small" to="." search={{ ...cause, event: event.id }}>
      Same cause: {count}
      {found?.pagination.next_cursor === '' ? '' : ' or more'} events
    </Link>
  )
}

function UnsignedToken({ event }: { readonly event: SsfStreamEvent }) {
  if (event.claims === null) return <p className="secondary">Its token is signed when it is first sent.</p>
  return (
    <>
      <JsonBlock json={JSON.stringify(event.claims, null, 2)} label="the claims" />
      <p className="secondary small">
        {event.state === 'pending'
          ? 'It will be signed with another key when it is sent next: the previous key was withdrawn.'
          : 'The key that signed it was withdrawn.'}
      </p>
    </>
  )
}

function Summary({ event, name }: Omit<EventParts, 'streamId'>) {
  const { identifier } = event.subject.device
  const reason = event.claims === null ? undefined : reasonIn(event.claims)
  if (event.kind !== 'compliance_change') {
    return (
      <p>
        <b className="medium">{eventKinds[event.kind]}</b>
        {event.kind === 'test' ? `, about ${subjectOf(event)}.` : ', of the stream itself.'}
      </p>
    )
  }
  return (
    <p className="breaks">
      {identifier !== '' && (
        <>
          <Link className="underlined medium" to="/devices/$deviceId" params={{ deviceId: identifier }}>
            {name === null ? `Device ${identifier}` : visibleText(name)}
          </Link>{' '}
          of{' '}
        </>
      )}
      <b className="medium">{subjectOf(event)}</b> became{' '}
      <b className={event.current_status === 'not-compliant' ? 'medium bad' : 'medium'}>{event.current_status}</b>
      {reason === undefined ? '.' : `: ${visibleText(reason)}`}
    </p>
  )
}
