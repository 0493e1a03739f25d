import { Button, TextInput } from '@mantine/core'
import { chosenWebhookEvents, webhookEventSummaries } from '@muster/contract/webhook-event-summaries.ts'
import { Icon } from '../components/icon.tsx'
import type { HeaderInput, WebhookInput } from './webhook-input.ts'

type Parts = {
  readonly value: WebhookInput
  readonly onChange: (value: WebhookInput) => void
  readonly faultOf: (field: string) => string | undefined
}

/** What can be chosen of a webhook, made or changed. */
export const WebhookFields = ({ value, onChange, faultOf }: Parts) => (
  <>
    <TextInput
      label="Address"
      description="A public https address."
      type="url"
      value={value.url}
      maxLength={2_048}
      error={faultOf('url')}
      onChange={(event) => onChange({ ...value, url: event.currentTarget.value })}
    />
    <TextInput
      label="Description (optional)"
      description="Shown in lists. Defaults to the host name."
      value={value.description}
      maxLength={500}
      error={faultOf('description')}
      onChange={(event) => onChange({ ...value, description: event.currentTarget.value })}
    />
    <EventFields value={value} onChange={onChange} faultOf={faultOf} />
    <HeaderFields value={value} onChange={onChange} faultOf={faultOf} />
  </>
)

function EventFields({ value, onChange, faultOf }: Parts) {
  const { events } = value
  const toggle = (name: WebhookInput['events'][number]) =>
    onChange({ ...value, events: events.includes(name) ? events.filter((one) => one !== name) : [...events, name] })
  const isAll = events.length === chosenWebhookEvents.length
  const fault = faultOf('events')
  return (
    <fieldset className="plain-fieldset">
      <legend>Events</legend>
      <div className="section-head">
        <span className="small faint">Events to send.</span>
        <button
          type="button"
          className="plain underlined small"
          onClick={() => onChange({ ...value, events: isAll ? [] : [...chosenWebhookEvents] })}
        >
          {isAll ? 'Choose none' : 'Choose all'}
        </button>
      </div>
      <div className="check-grid">
        {chosenWebhookEvents.map((name) => (
          <label key={name} className="check-line">
            <input type="checkbox" checked={events.includes(name)} onChange={() => toggle(name)} />
            <span>
              <code className="block">{name}</code>
              <span className="small secondary block">{webhookEventSummaries[name]}</span>
            </span>
          </label>
        ))}
      </div>
      {fault !== undefined && (
        <p className="small bad" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

function HeaderFields({ value, onChange, faultOf }: Parts) {
  const { headers } = value
  const set = (id: number, change: Partial<HeaderInput>) =>
    onChange({ ...value, headers: headers.map((one) => (one.id === id ? { ...one, ...change } : one)) })
  const add = () => {
    const id = Math.max(-1, ...headers.map((one) => one.id)) + 1
    onChange({ ...value, headers: [...headers, { id, name: '', value: '', isKept: false }] })
  }
  return (
    <fieldset className="plain-fieldset">
      <legend>Custom headers (optional)</legend>
      <p className="small faint">Sent with every request. Values are stored encrypted and never shown again.</p>
      {headers.map((header) => (
        <div className="header-line" key={header.id}>
          <TextInput
            aria-label="Name of the header"
            placeholder="x-tenant"
            value={header.name}
            readOnly={header.isKept}
            maxLength={100}
            error={faultOf(`custom_headers/${header.name}`)}
            onChange={(event) => set(header.id, { name: event.currentTarget.value })}
          />
          {header.isKept ? (
            <span className="row">
              <span className="secondary grow">Value stored</span>
              <Button
                onClick={() => set(header.id, { isKept: false })}
                aria-label={`Replace the value of ${header.name}`}
              >
                Replace
              </Button>
            </span>
          ) : (
            <TextInput
              aria-label={`Value of the header ${header.name}`}
              placeholder="Value"
              value={header.value}
              maxLength={4_096}
              autoComplete="off"
              onChange={(event) => set(header.id, { value: event.currentTarget.value })}
            />
          )}
          <Button
            className="icon-button"
            aria-label={`Remove the header ${header.name}`}
            onClick={() => onChange({ ...value, headers: headers.filter(({ id }) => id !== header.id) })}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
      {headers.length < 20 && (
        <div>
          <Button leftSection={<Icon name="plus" size={14} />} onClick={add}>
            Add a header
          </Button>
        </div>
      )}
    </fieldset>
  )
}
