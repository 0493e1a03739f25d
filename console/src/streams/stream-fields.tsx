import { PasswordInput, TextInput } from '@mantine/core'
import { ChoiceCards } from '../developers/choice-cards.tsx'
import type { StreamInput } from './stream-input.ts'

type Parts = {
  readonly value: StreamInput
  readonly onChange: (value: StreamInput) => void
  readonly faultOf: (field: string) => string | undefined
}

/** What can be chosen of a stream, made or changed. */
export function StreamFields({ value, onChange, faultOf }: Parts) {
  const set = (name: keyof StreamInput) => (text: string) => onChange({ ...value, [name]: text })
  return (
    <>
      <TextInput
        label="Name"
        value={value.name}
        maxLength={200}
        error={faultOf('name')}
        onChange={(event) => set('name')(event.currentTarget.value)}
      />
      <TextInput
        label="Description (optional)"
        value={value.description}
        maxLength={1_000}
        error={faultOf('description')}
        onChange={(event) => set('description')(event.currentTarget.value)}
      />
      <ChoiceCards
        legend="Delivery"
        name="delivery"
        value={value.deliveryType}
        onChange={set('deliveryType')}
        options={[
          { value: 'push', title: 'Push', text: 'Each event is sent to the receiver immediately (RFC 8935).' },
          { value: 'poll', title: 'Poll', text: 'The receiver fetches events with a token of its own (RFC 8936).' },
        ]}
      />
      {value.deliveryType === 'push' && <PushFields value={value} onChange={onChange} faultOf={faultOf} />}
      <TextInput
        label="Audience (optional)"
        description="Value of the aud claim. Assigned automatically if empty."
        value={value.audience}
        maxLength={2_048}
        error={faultOf('aud')}
        onChange={(event) => set('audience')(event.currentTarget.value)}
      />
    </>
  )
}

const PushFields = ({ value, onChange, faultOf }: Parts) => (
  <>
    <TextInput
      label="Receiver URL"
      description="A public https address."
      type="url"
      value={value.url}
      maxLength={2_048}
      error={faultOf('delivery/endpoint_url')}
      onChange={(event) => onChange({ ...value, url: event.currentTarget.value })}
    />
    <PasswordInput
      label="Authorization header (optional)"
      description="Sent unchanged with every event, for example “Bearer …”. Stored encrypted. Enter it again when the URL leads to another host."
      value={value.authorization}
      maxLength={4_096}
      error={faultOf('delivery/authorization_header')}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': 'Show the header' }}
      onChange={(event) => onChange({ ...value, authorization: event.currentTarget.value })}
    />
  </>
)
