import { Button, Modal, TextInput } from '@mantine/core'
import type { SsfStream, SsfTest } from '@muster/contract/ssf-streams.ts'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useSession } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { Mark } from '../components/state-shape.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = { readonly stream: SsfStream; readonly onClose: () => void }

export const TestDialog = ({ stream, isOpen, onClose }: Parts & { readonly isOpen: boolean }) => (
  <Modal opened={isOpen} onClose={onClose} title="Send a test event" withCloseButton={false}>
    {isOpen && <TestForm stream={stream} onClose={onClose} />}
  </Modal>
)

function TestForm({ stream, onClose }: Parts) {
  const session = useSession()
  const [email, setEmail] = useState(session?.administrator.email ?? '')
  const test = useAction({
    act: () => api('testSsfStream', { params: { streamId: stream.id }, body: { email } }),
    refresh: ['streams'],
    hasForm: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate()
  }
  return (
    <form className="dialog-form" onSubmit={submit} noValidate>
      <p className="secondary">
        An event with the current status of this person’s device, marked as a test in the history.
        {stream.delivery_type === 'push' ? ' It is sent immediately.' : ' It waits for the next poll.'}
      </p>
      <TextInput
        label="E-mail"
        type="email"
        value={email}
        maxLength={320}
        error={test.faultOf('email')}
        onChange={(event) => setEmail(event.currentTarget.value)}
        data-autofocus
      />
      <FormFault error={test.faultBeside} />
      <div role="status">{test.data && <Outcome stream={stream} answer={test.data} onClose={onClose} />}</div>
      <div className="dialog-ends">
        <Button onClick={onClose}>{test.data ? 'Close' : 'Cancel'}</Button>
        <Button type="submit" variant="filled" loading={test.isPending}>
          {test.data ? 'Send another' : 'Send the test'}
        </Button>
      </div>
    </form>
  )
}

function Outcome({ stream, answer, onClose }: Parts & { readonly answer: SsfTest }) {
  const code = answer.response_code === 'no_response' ? 'It did not answer.' : `It answered ${answer.response_code}.`
  const isPoll = stream.delivery_type === 'poll'
  return (
    <>
      <p className="row">
        <Mark name={answer.success ? 'tick' : 'cross'} />
        <span className="grow">
          {isPoll
            ? 'It waits to be polled.'
            : `${answer.success ? 'The receiver accepted it.' : 'The receiver did not accept it.'} ${code}`}
        </span>
        <Link
          className="underlined"
          to="/settings/developers/streams/$streamId"
          params={{ streamId: stream.id }}
          search={{ event: String(answer.ssf_stream_event_id) }}
          onClick={onClose}
        >
          Show it
        </Link>
      </p>
      {answer.hint !== undefined && <p className="note will">{answer.hint}</p>}
    </>
  )
}
