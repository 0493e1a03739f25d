import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { ChangedMeanwhile } from '../developers/changed-meanwhile.tsx'
import { FormSaveBar } from '../developers/form-save-bar.tsx'
import { refuseOutdated } from '../developers/refuse-outdated.ts'
import { isSameOrigin } from '../developers/same-origin.ts'
import { useWishes } from '../developers/use-wishes.ts'
import { EventTypes } from './event-types.tsx'
import { StreamFields, streamFieldNames } from './stream-fields.tsx'
import { streamQuery } from './stream-queries.ts'
import { StreamTab } from './stream-tab.tsx'
import { changeOf, changesInWords, isSameWishes, labels, wishesOf } from './stream-wishes.ts'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/settings')

export function StreamSettingsPage() {
  const { streamId } = route.useParams()
  return (
    <StreamTab id={streamId} isForm>
      {(stream) => <SettingsForm key={stream.id} stream={stream} />}
    </StreamTab>
  )
}

function SettingsForm({ stream }: { stream: SsfStream }) {
  const client = useQueryClient()
  const { base: before, wishes, setWishes, others, begin, takeTheirs } = useWishes(wishesOf(stream))
  const [isKept, setIsKept] = useState(false)
  const isElsewhere = wishes.deliveryType === 'push' && !isSameOrigin(before.url, wishes.url)
  const isDropped = isElsewhere && !isKept && wishes.authorization === before.authorization
  const sent = isDropped ? { ...wishes, authorization: '' } : wishes
  const save = useAction({
    act: async () => {
      const isStill = (now: SsfStream) => isSameWishes(wishesOf(now), before)
      await refuseOutdated(client, { ...streamQuery(stream.id), isStill })
      return request<SsfStream>(`/ssf_streams/${stream.id}`, { method: 'PATCH', body: changeOf(before, sent) })
    },
    refresh: [['streams']],
    hasForm: true,
    said: () => 'The stream is changed',
    onDone: (changed) => {
      client.setQueryData(streamQuery(stream.id).queryKey, changed)
      begin(wishesOf(changed))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isConverted = wishes.deliveryType !== before.deliveryType
  return (
    <form onSubmit={submit} noValidate>
      <StreamFields value={wishes} onChange={setWishes} faultOf={save.faultOf} />
      {isConverted && (
        <p className="note will">
          {wishes.deliveryType === 'poll'
            ? 'Nobody can poll it until a token is rotated in under Keys. What waits is polled then.'
            : 'Its poll tokens end. What waits is sent to the receiver.'}
        </p>
      )}
      {isElsewhere && before.authorization !== '' && wishes.authorization === before.authorization && (
        <div className="note will" role="status">
          <label className="check-line">
            <input type="checkbox" checked={isKept} onChange={() => setIsKept(!isKept)} />
            <span>
              Send the authorization header to the new receiver, too
              <span className="sm t2 block">
                The address is of another receiver. Unless ticked, saving drops the header.
              </span>
            </span>
          </label>
        </div>
      )}
      <EventTypes />
      <p className="t2">
        Layout of its tokens: <code>{stream.spec_version}</code>. It never changes; a stream of the other layout is a
        new one.
      </p>
      <ChangedMeanwhile
        others={others}
        labels={labels}
        theirs={before}
        yours={wishes}
        shownOf={(of, field) => of[field]}
        onTakeTheirs={takeTheirs}
      />
      <FormFault error={save.faultBeside(...streamFieldNames)} />
      <FormSaveBar
        changes={changesInWords(before, wishes)}
        consequence="Events that wait are delivered the new way."
        verb="Save the changes"
        isBusy={save.isPending}
        onDiscard={() => begin(before)}
      />
    </form>
  )
}
