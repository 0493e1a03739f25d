import { Button, TextInput } from '@mantine/core'
import type { StreamView } from '@muster/contract/console-developers.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { Mark } from '../components/state-shape.tsx'
import { useAction } from '../components/use-action.ts'
import { ChoiceCards } from '../developers/choice-cards.tsx'
import { streamViewQuery } from './stream-queries.ts'

type Mode = 'overlap' | 'immediate' | 'disable'

/** Which tokens a stream can be polled with, and how they are replaced. */
export function PollTokens({ stream }: { stream: SsfStream }) {
  const query = useQuery(streamViewQuery(stream.id))
  const view = query.data
  const [token, setToken] = useState<string>()
  return (
    <section className="form-section">
      <h2>Poll token</h2>
      <LoadFailure what="Tokens for polling this stream" query={query} />
      {view && <Standing view={view} />}
      {token !== undefined && (
        <SecretOnce
          label="New poll token"
          secret={token}
          after="Copy it now: it is not shown again and cannot be recovered."
        />
      )}
      {view && <Rotation key={String(view.poll_tokens.length > 0)} stream={stream} view={view} onToken={setToken} />}
    </section>
  )
}

function Standing({ view }: { view: StreamView }) {
  const { poll_tokens: tokens, needs_no_poll_token: needsNone } = view
  if (needsNone) {
    return (
      <p className="note will">
        This stream predates poll tokens: it is polled with an API key only. Once you create a token, polls without it
        are refused.
      </p>
    )
  }
  if (tokens.length === 0) {
    return (
      <p className="note will">
        No active token: polls and acknowledgements are refused until you create one. Events wait until then.
      </p>
    )
  }
  return (
    <ul className="lines">
      {tokens.map(({ created_at: made, valid_until: until }) => (
        <li className="line" key={`${made} ${until ?? ''}`}>
          <Mark name={until === null ? 'tick' : 'clock'} />
          <span className="grow">
            {until === null ? 'Active' : 'Replaced, still valid'}
            <span className="secondary">
              {' '}
              · made <RelativeTime time={made} />
            </span>
          </span>
          <span className="secondary">
            {until === null ? (
              'no end'
            ) : (
              <>
                ends <RelativeTime time={until} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

type RotationParts = {
  readonly stream: SsfStream
  readonly view: StreamView
  readonly onToken: (token: string | undefined) => void
}

function Rotation({ stream, view, onToken }: RotationParts) {
  const has = view.poll_tokens.length > 0
  const [mode, setMode] = useState<Mode>(has ? 'overlap' : 'immediate')
  const [minutes, setMinutes] = useState('60')
  const [isAsking, setIsAsking] = useState(false)
  const rotate = useAction({
    act: () =>
      api('rotateSsfPollToken', {
        params: { streamId: stream.id },
        body: { mode, ...(mode === 'overlap' && { overlap_seconds: Math.round(Number(minutes) * 60) }) },
      }),
    refresh: ['streams'],
    hasForm: true,
    said: () => (mode === 'disable' ? 'Polling is off until you create a token' : 'New token created'),
    onDone: ({ poll_bearer_token: token }) => {
      setIsAsking(false)
      onToken(token)
    },
  })
  const hits = has && mode !== 'overlap'
  const start = () => (hits ? setIsAsking(true) : rotate.mutate())
  const fault = rotate.faultBeside
  return (
    <>
      <ChoiceCards legend="Replace it" name="mode" value={mode} onChange={setMode} options={modesFor(has)} />
      {mode === 'overlap' && (
        <TextInput
          label="Previous tokens stay valid for, minutes"
          description="1 to 1,440: long enough to give the new one to the receiver."
          inputMode="numeric"
          className="short-field"
          value={minutes}
          error={rotate.faultOf('overlap_seconds')}
          onChange={(event) => setMinutes(event.currentTarget.value)}
        />
      )}
      {!isAsking && <FormFault error={fault} />}
      <div>
        <Button onClick={start} loading={rotate.isPending && !isAsking}>
          {mode === 'disable' ? 'Disable polling…' : hits ? 'Rotate now…' : 'Rotate the token'}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={mode === 'disable' ? 'Disable polling?' : 'Rotate the token now?'}
        consequences={[
          'The receiver’s next poll and acknowledgement with the current token are refused.',
          mode === 'disable' ? 'Nobody can poll until you create a token.' : 'It continues once it has the new token.',
        ]}
        stays="The stream, its settings and its events stay; waiting events are polled later."
        verb={mode === 'disable' ? 'Disable polling' : 'Rotate now'}
        onConfirm={() => rotate.mutate()}
        isBusy={rotate.isPending}
        fault={fault}
      />
    </>
  )
}

const modesFor = (has: boolean) => {
  const overlap = {
    value: 'overlap',
    title: 'With an overlap',
    text: 'A new token; the current one stays valid for a while, so nothing is refused.',
  } as const
  const immediate = {
    value: 'immediate',
    title: has ? 'Immediately' : 'New token',
    text: has
      ? 'A new token; the current one stops working now. Use this for a leaked token.'
      : 'Polls need it from now on.',
  } as const
  const disable = {
    value: 'disable',
    title: 'Disable',
    text: 'No token: polling ends until you create one.',
  } as const
  return has ? [overlap, immediate, disable] : [immediate]
}
