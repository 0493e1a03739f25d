import { Button } from '@mantine/core'
import type { SsfReplay, SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { request } from '../api/request.ts'
import { useSession } from '../api/session.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Icon } from '../components/icon.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { SidePanel } from '../components/side-panel.tsx'
import { Mark } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { toast } from '../components/toasts.tsx'
import { visibleText } from '../components/visible-text.ts'
import { decodeToken } from './decode-token.ts'
import { subjectOf } from './event-table.tsx'
import { streamEventQuery } from './stream-queries.ts'

type Parts = { readonly streamId: string; readonly eventId: string; readonly onClose: () => void }

export function EventPanel({ streamId, eventId, onClose }: Parts) {
  const event = useQuery(streamEventQuery(streamId, eventId))
  const title = event.data ? `Event ${event.data.sequence ?? ''}` : 'Event'
  return (
    <SidePanel title={title} name="Event" onClose={onClose}>
      {event.isError && <Failure what="The event could not be loaded." error={event.error} />}
      {event.isPending && <SkeletonRows rows={6} />}
      {event.data && <LoadedEvent streamId={streamId} event={event.data} />}
    </SidePanel>
  )
}

function LoadedEvent({ streamId, event }: { streamId: string; event: SsfStreamEvent }) {
  const session = useSession()
  const mayManage = session?.permissions.includes('manage_ssf_streams') ?? false
  const replay = useMutation({
    mutationFn: () =>
      request<SsfReplay>(`/ssf_streams/${streamId}/replay`, { method: 'POST', body: { jtis: [event.jti] } }),
    onSuccess: async ({ replayed_count: count }) => {
      toast(
        count === 0
          ? 'The event waits already, or can no longer be sent'
          : 'The event is sent again, with the same jti',
      )
      await queryClient.invalidateQueries({ queryKey: ['streams'] })
    },
    onError: (error) => toast(error.message, 'cross'),
  })
  return (
    <>
      <p className="sm t2">{fullTime(event.queued_at)}</p>
      <p>
        <b className="m">{subjectOf(event)}</b>
        {event.subject.device && ` on device ${event.subject.device.identifier}`}
        {event.current_status && (
          <>
            {' became '}
            <b className={event.current_status === 'not-compliant' ? 'm bad' : 'm'}>{event.current_status}</b>
          </>
        )}
        .
      </p>
      {event.error && (
        <p className="note blocked">
          {visibleText([event.error.err, event.error.description].filter(Boolean).join(': ') || 'Not delivered')}
        </p>
      )}
      {mayManage && event.state !== 'pending' && (
        <p>
          <Button
            leftSection={<Icon name="send" size={14} />}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          >
            Replay this event
          </Button>
        </p>
      )}
      {event.token !== null ? (
        <>
          <h3>Decoded</h3>
          <CodeBlock text={decodeToken(event.token)} label="the decoded token" />
          <h3>Token</h3>
          <CodeBlock text={event.token} label="the token" />
        </>
      ) : (
        <p className="t2">Its token is signed when it is sent first.</p>
      )}
      <h3>Attempts</h3>
      {event.attempts.length === 0 && <p className="t2">None yet.</p>}
      <ul className="lines">
        {event.attempts.map(({ attempted_at: at, status, error, duration_ms: took }) => (
          <li key={at} className="line">
            <Mark name={error === null ? 'tick' : 'cross'} />
            <span className="grow">
              <span className="m">{status ?? 'No answer'}</span>
              {error !== null && <span className="sm t2 block">{visibleText(error)}</span>}
            </span>
            <span className="sm t2 tn">
              {fullTime(at).slice(-12, -4)} · {took} ms
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
