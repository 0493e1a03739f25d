import { Button, Modal } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { deadlineOf } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'

const overlaps = [
  { seconds: 0, text: 'not at all: it ends now' },
  { seconds: 3_600, text: 'for an hour' },
  { seconds: 86_400, text: 'for a day' },
  { seconds: 259_200, text: 'for 3 days' },
  { seconds: 604_800, text: 'for a week' },
] as const

/** What requests are signed with: revealed to whoever proves who they are, and replaced without a gap. */
export function WebhookSecret({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [shown, setShown] = useState<{ readonly secret: string; readonly isNew: boolean }>()
  const [isRolling, setIsRolling] = useState(false)
  const { previous_secret_until: until } = endpoint
  const reveal = useAction({
    act: () => api('revealWebhookSecret', { params: { endpointId: endpoint.id } }),
    refresh: ['audit'],
    onDone: ({ secret }) => secret !== undefined && setShown({ secret, isNew: false }),
  })
  return (
    <section className="form-section">
      <h2>Signing secret</h2>
      <p className="row">
        <span className="secondary">Identifier of the webhook</span>
        <code className="ellipsis">{endpoint.identifier}</code>
        <CopyButton text={endpoint.identifier} label="the identifier" />
      </p>
      {until !== null && (
        <p className="note">
          Both secrets sign until {deadlineOf(until, Date.now())} UTC; from then on only the new one.
        </p>
      )}
      {shown?.isNew === false && <CodeBlock text={shown.secret} label="the secret" />}
      {shown?.isNew === true && (
        <SecretOnce
          label="New signing secret"
          secret={shown.secret}
          after="Enter it at the receiver. You can reveal it later. Revealing is recorded in the audit log."
        />
      )}
      <div className="form-ends">
        {shown === undefined ? (
          <Button loading={reveal.isPending} onClick={() => reveal.mutate()}>
            Reveal the secret
          </Button>
        ) : (
          <Button onClick={() => setShown(undefined)}>Hide</Button>
        )}
        <Button onClick={() => setIsRolling(true)}>Roll the secret…</Button>
      </div>
      <Modal opened={isRolling} onClose={() => setIsRolling(false)} title="Roll the secret" withCloseButton={false}>
        {isRolling && (
          <RollForm
            endpoint={endpoint}
            onClose={() => setIsRolling(false)}
            onSecret={(secret) => setShown({ secret, isNew: true })}
          />
        )}
      </Modal>
    </section>
  )
}

type RollParts = {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

function RollForm({ endpoint, onClose, onSecret }: RollParts) {
  const isOverlapping = endpoint.previous_secret_until !== null
  const [seconds, setSeconds] = useState(isOverlapping ? 0 : 86_400)
  const roll = useAction({
    act: () => api('rollWebhookSecret', { params: { endpointId: endpoint.id }, body: { overlap_seconds: seconds } }),
    refresh: ['webhooks'],
    hasForm: true,
    said: () => 'A new secret signs from now on',
    onDone: ({ secret }) => {
      if (secret !== undefined) onSecret(secret)
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    roll.mutate()
  }
  const end = new Date(Date.now() + seconds * 1_000).toISOString()
  return (
    <form className="dialog-form" onSubmit={submit} noValidate>
      <label className="field">
        <span className="medium">Keep signing with the current secret</span>
        <select
          className="select tall-select"
          value={seconds}
          data-autofocus
          onChange={(event) => setSeconds(Number(event.currentTarget.value))}
        >
          {overlaps
            .filter((one) => !isOverlapping || one.seconds === 0)
            .map((one) => (
              <option key={one.seconds} value={one.seconds}>
                {one.text}
              </option>
            ))}
        </select>
      </label>
      <p className="secondary">
        {seconds > 0 &&
          `Both sign until ${deadlineOf(end, Date.now())} UTC, so that the receiver can switch. Until then, Authorization uses the current one.`}
        {seconds === 0 && !isOverlapping && 'The receiver refuses every request until it has the new secret.'}
        {seconds === 0 &&
          isOverlapping &&
          'An overlap is under way: this roll ends both secrets immediately, and the receiver refuses every request until it has the new one.'}
      </p>
      <FormFault error={roll.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" {...(seconds === 0 && { color: 'danger' })} loading={roll.isPending}>
          Roll the secret
        </Button>
      </div>
    </form>
  )
}
