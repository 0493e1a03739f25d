import { Button } from '@mantine/core'
import { oktaStream } from '@muster/contract/okta-stream.ts'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Page } from '../components/page.tsx'
import { useAction } from '../components/use-action.ts'
import { ChoiceCards } from '../developers/choice-cards.tsx'
import '../developers/developers.css'
import { EventTypes } from './event-types.tsx'
import { MadeStream } from './made-stream.tsx'
import { OktaFields } from './okta-fields.tsx'
import { StreamFields } from './stream-fields.tsx'
import { deliveryOf, noInput, type StreamInput } from './stream-input.ts'
import { streamsCrumb } from './with-stream.tsx'

export function NewStreamPage() {
  const may = useMay('manage_ssf_streams')
  const navigate = useNavigate()
  const [made, setMade] = useState<SsfStream>()
  const done = (stream: SsfStream, isOkta: boolean) => {
    if (stream.poll_bearer_token !== undefined || isOkta) setMade(stream)
    else void navigate({ to: '/settings/developers/streams/$streamId', params: { streamId: stream.id } })
  }
  return (
    <Page title={made ? 'Stream created' : 'New stream'} crumb={streamsCrumb}>
      <div className="page form-page">
        {!may && <MissingPermission power="manage_ssf_streams" />}
        {may && !made && <NewStreamForm onMade={done} />}
        {made && <MadeStream stream={made} />}
      </div>
    </Page>
  )
}

type Layout = 'v1_0' | 'draft' | 'opaque'

const newStreamOf = (input: StreamInput, layout: Layout): InputOf<'createSsfStream'>['body'] => ({
  ...(input.name.trim() !== '' && { name: input.name }),
  ...(input.description !== '' && { description: input.description }),
  ...(input.audience !== '' && { aud: input.audience }),
  delivery: deliveryOf(input),
  spec_version: layout === 'draft' ? 'draft' : 'v1_0',
  ...(layout === 'opaque' && { device_subject_format: 'opaque' }),
})

function NewStreamForm({ onMade }: { onMade: (stream: SsfStream, isOkta: boolean) => void }) {
  const [input, setInput] = useState(noInput)
  const [layout, setLayout] = useState<Layout>('v1_0')
  const [receiver, setReceiver] = useState<'standard' | 'okta'>('standard')
  const [oktaUrl, setOktaUrl] = useState('')
  const [oktaFault, setOktaFault] = useState<string>()
  const isOkta = receiver === 'okta'
  const create = useAction({
    act: (body: InputOf<'createSsfStream'>['body']) => api('createSsfStream', { body }),
    refresh: ['streams'],
    hasForm: true,
    onDone: (stream) => onMade(stream, isOkta),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = isOkta ? oktaStream(oktaUrl) : newStreamOf(input, layout)
    setOktaFault(body ? undefined : 'Enter the address of your Okta organization, such as https://acme.okta.com.')
    if (body) create.mutate(body)
  }
  return (
    <form onSubmit={submit} noValidate>
      <ChoiceCards
        legend="Receiver"
        name="receiver"
        value={receiver}
        onChange={setReceiver}
        options={[
          { value: 'standard', title: 'Any receiver', text: 'Any Shared Signals receiver, push or poll.' },
          { value: 'okta', title: 'Okta', text: 'Identity Threat Protection. Only the address of Okta is needed.' },
        ]}
      />
      {isOkta ? (
        <OktaFields url={oktaUrl} onChange={setOktaUrl} error={create.faultOf('delivery/endpoint_url', oktaFault)} />
      ) : (
        <>
          <StreamFields value={input} onChange={setInput} faultOf={create.faultOf} />
          <ChoiceCards
            legend="Event format"
            name="layout"
            value={layout}
            onChange={setLayout}
            options={[
              {
                value: 'v1_0',
                title: 'Shared Signals 1.0',
                text: 'The subject is in sub_id. For receivers that implement the final specification.',
              },
              {
                value: 'opaque',
                title: 'Shared Signals 1.0, opaque device',
                text: 'The device has an identifier without issuer. For receivers that cannot read iss_sub, such as the Go library of caep.dev.',
              },
              {
                value: 'draft',
                title: 'Draft',
                text: 'The subject is inside the event. For receivers that predate 1.0.',
              },
            ]}
          />
        </>
      )}
      <EventTypes />
      <FormFault error={create.faultBeside} />
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
