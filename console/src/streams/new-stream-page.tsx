import { Button } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useMay } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { visibleText } from '../components/visible-text.ts'
import { ChoiceCards } from '../developers/choice-cards.tsx'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { EventTypes } from './event-types.tsx'
import { PollHelp } from './poll-help.tsx'
import { StreamFields, streamFieldNames } from './stream-fields.tsx'
import { deliveryOf, noWishes } from './stream-wishes.ts'
import { streamsCrumb } from './with-stream.tsx'

export function NewStreamPage() {
  const may = useMay('manage_ssf_streams')
  const navigate = useNavigate()
  const [made, setMade] = useState<SsfStream>()
  const done = (stream: SsfStream) => {
    if (stream.poll_bearer_token !== undefined) setMade(stream)
    else void navigate({ to: '/settings/developers/streams/$streamId', params: { streamId: stream.id } })
  }
  return (
    <Page title={made ? 'The stream is made' : 'New stream'} crumb={streamsCrumb}>
      <div className="page form-page">
        {!may && <MissingPermission power="manage_ssf_streams" />}
        {may && !made && <NewStreamForm onMade={done} />}
        {made && <MadeStream stream={made} />}
      </div>
    </Page>
  )
}

const MadeStream = ({ stream }: { stream: SsfStream }) => (
  <>
    <p>
      <b className="m">{visibleText(stream.name)}</b> is there. Its receiver polls it with this token.
    </p>
    <SecretOnce
      label="Poll token"
      secret={stream.poll_bearer_token ?? ''}
      after="Copy it now: it is not shown again and cannot be recovered. A lost one is replaced under Keys."
    />
    <PollHelp stream={stream} />
    <p>
      <Link className="u" to="/settings/developers/streams/$streamId" params={{ streamId: stream.id }}>
        Go to the stream
      </Link>
    </p>
  </>
)

function NewStreamForm({ onMade }: { onMade: (stream: SsfStream) => void }) {
  const [wishes, setWishes] = useState(noWishes)
  const [layout, setLayout] = useState<'v1_0' | 'draft'>('v1_0')
  const create = useAction({
    act: () =>
      request<SsfStream>('/ssf_streams', {
        method: 'POST',
        body: {
          ...(wishes.name.trim() !== '' && { name: wishes.name }),
          ...(wishes.description !== '' && { description: wishes.description }),
          ...(wishes.audience !== '' && { aud: wishes.audience }),
          delivery: deliveryOf(wishes),
          spec_version: layout,
        },
      }),
    refresh: [['streams']],
    hasForm: true,
    onDone: onMade,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <StreamFields value={wishes} onChange={setWishes} faultOf={create.faultOf} />
      <ChoiceCards
        legend="Layout of its tokens"
        name="layout"
        value={layout}
        onChange={setLayout}
        options={[
          {
            value: 'v1_0',
            title: 'Shared Signals 1.0',
            text: 'The subject stands in sub_id of the token. For receivers that implement the final specification.',
          },
          {
            value: 'draft',
            title: 'Draft',
            text: 'The subject stands within the event. For receivers from before 1.0. It cannot be changed later.',
          },
        ]}
      />
      <EventTypes />
      <FormFault error={create.faultBeside(...streamFieldNames)} />
      <div className="form-ends">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create the stream
        </Button>
        <Button component={Link} to="/settings/developers/streams" variant="subtle">
          Cancel
        </Button>
      </div>
    </form>
  )
}
