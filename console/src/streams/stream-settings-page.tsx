import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { ChangedMeanwhile } from '../developers/changed-meanwhile.tsx'
import { FormSaveBar } from '../developers/form-save-bar.tsx'
import { refuseOutdated } from '../developers/refuse-outdated.ts'
import { isSameOrigin } from '../developers/same-origin.ts'
import { useInput } from '../developers/use-input.ts'
import { EventTypes } from './event-types.tsx'
import { StreamAuthorization } from './stream-authorization.tsx'
import { StreamFields } from './stream-fields.tsx'
import { changeOf, changesInWords, isSameInput, labels, wishesOf } from './stream-input.ts'
import { streamQuery } from './stream-queries.ts'
import { StreamTab } from './stream-tab.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId/settings')

export function StreamSettingsPage() {
  const { streamId } = route.useParams()
  return (
    <StreamTab id={streamId} isForm>
      {(stream) => (
        <>
          {stream.authorization_header && <StreamAuthorization stream={stream} />}
          <SettingsForm key={stream.id} stream={stream} />
        </>
      )}
    </StreamTab>
  )
}

function SettingsForm({ stream }: { stream: SsfStream }) {
  const client = useQueryClient()
  const { base: before, input, setInput, others, begin, takeTheirs } = useInput(wishesOf(stream))
  const isElsewhere = input.deliveryType === 'push' && !isSameOrigin(before.url, input.url)
  const isDropped = isElsewhere && before.authorization !== '' && input.authorization === before.authorization
  const sent = isDropped ? { ...input, authorization: '' } : input
  const save = useAction({
    act: async () => {
      const isStill = (now: SsfStream) => isSameInput(wishesOf(now), before)
      await refuseOutdated(client, { ...streamQuery(stream.id), isStill })
      return api('updateSsfStream', { params: { streamId: stream.id }, body: changeOf(before, sent) })
    },
    refresh: ['streams'],
    hasForm: true,
    said: () => 'Stream saved',
    onDone: (changed) => {
      client.setQueryData(streamQuery(stream.id).queryKey, changed)
      begin(wishesOf(changed))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isConverted = input.deliveryType !== before.deliveryType
  return (
    <form onSubmit={submit} noValidate>
      <StreamFields value={input} onChange={setInput} faultOf={save.faultOf} />
      {isConverted && (
        <p className="note will">
          {input.deliveryType === 'poll'
            ? 'Nobody can poll it until you create a token under Keys. Waiting events are polled then.'
            : 'Its poll tokens stop working. Waiting events are sent to the receiver.'}
        </p>
      )}
      {isDropped && (
        <p className="note will" role="status">
          The address belongs to another receiver, and the authorization header is not sent there: saving removes it.
          Enter it again to send it.
        </p>
      )}
      <EventTypes />
      <p className="secondary">
        Event format: <code>{stream.spec_version}</code>. The format cannot be changed. Create a new stream to use the
        other one.
      </p>
      <ChangedMeanwhile
        others={others}
        labels={labels}
        theirs={before}
        yours={input}
        shownOf={(of, field) => of[field]}
        onTakeTheirs={takeTheirs}
      />
      <FormFault error={save.faultBeside} />
      <FormSaveBar
        changes={changesInWords(before, input)}
        consequence="Waiting events are delivered the new way."
        verb="Save changes"
        isBusy={save.isPending}
        onDiscard={() => begin(before)}
      />
    </form>
  )
}
