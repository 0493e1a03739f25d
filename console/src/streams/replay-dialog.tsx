import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useAction } from '../components/use-action.ts'
import { RangeDialog } from '../developers/range-dialog.tsx'
import type { ReplayRange } from './stream-queries.ts'

const states = [
  { value: '', text: 'All settled' },
  { value: 'rejected', text: 'Rejected only' },
  { value: 'expired', text: 'Expired only' },
  { value: 'delivered', text: 'Accepted only' },
  { value: 'acknowledged', text: 'Acknowledged only' },
] as const

/** The server does 10,000 at a time and says where to continue. */
async function replayAll(streamId: string, { from, to, state }: ReplayRange): Promise<number> {
  let replayed = 0
  let after: string | null | undefined
  do {
    const body = { from, to, ...(state && { states: [state] }), ...(after && { after_id: after }) }
    const answer = await api('replaySsfStreamEvents', { params: { streamId }, body })
    replayed += answer.replayed_count
    after = answer.next_after_id
  } while (after !== null)
  return replayed
}

type Parts = { readonly streamId: string; readonly isOpen: boolean; readonly onClose: () => void }

export function ReplayDialog({ streamId, isOpen, onClose }: Parts) {
  const replay = useAction({
    act: (range: ReplayRange) => replayAll(streamId, range),
    refresh: ['streams'],
    hasForm: true,
    said: (count) => (count === 1 ? '1 event is sent again' : `${count.toLocaleString('en')} events are sent again`),
    onDone: onClose,
  })
  return (
    <RangeDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Replay from…"
      what="Device changes queued in this period are sent again: the same tokens, in order. The receiver gets old events again."
      nouns={['event', 'events']}
      states={states}
      firstState=""
      counting={(range) => query('countStreamReplay', { params: { streamId }, query: range })}
      onSend={(range) => replay.mutate(range)}
      isBusy={replay.isPending}
      fault={replay.faultBeside}
    />
  )
}
