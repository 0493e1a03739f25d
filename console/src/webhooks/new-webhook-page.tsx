import { Button } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Page } from '../components/page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { useAction } from '../components/use-action.ts'
import '../developers/developers.css'
import { WebhookFields } from './webhook-fields.tsx'
import { bodyOf, noInput } from './webhook-input.ts'
import { nameOf, webhooksCrumb } from './with-webhook.tsx'

export function NewWebhookPage() {
  const may = useMay('manage_webhooks')
  const [made, setMade] = useState<WebhookEndpoint>()
  return (
    <Page title={made ? 'Webhook created' : 'New webhook'} crumb={webhooksCrumb}>
      <div className="page form-page">
        {!may && <MissingPermission power="manage_webhooks" />}
        {may && !made && <NewWebhookForm onMade={setMade} />}
        {made && <MadeWebhook endpoint={made} />}
      </div>
    </Page>
  )
}

const MadeWebhook = ({ endpoint }: { endpoint: WebhookEndpoint }) => (
  <>
    <p>
      <b className="medium">{nameOf(endpoint)}</b> receives{' '}
      {endpoint.events.length === 1 ? '1 event' : `${endpoint.events.length} events`} from now on. Its receiver verifies
      each request with this secret.
    </p>
    <SecretOnce
      label="Signing secret"
      secret={endpoint.secret ?? ''}
      after="You can reveal it later in Settings. Revealing is recorded in the audit log."
    />
    <p>
      <Link className="underlined" to="/settings/developers/webhooks/$endpointId" params={{ endpointId: endpoint.id }}>
        Go to the webhook
      </Link>
    </p>
  </>
)

function NewWebhookForm({ onMade }: { onMade: (endpoint: WebhookEndpoint) => void }) {
  const [input, setInput] = useState(noInput)
  const create = useAction({
    act: () => api('createWebhookEndpoint', { body: bodyOf(input) }),
    refresh: ['webhooks'],
    hasForm: true,
    onDone: onMade,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <WebhookFields value={input} onChange={setInput} faultOf={create.faultOf} />
      <FormFault error={create.faultBeside} />
      <div className="form-ends">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create the webhook
        </Button>
        <Button component={Link} to="/settings/developers/webhooks" variant="subtle">
          Cancel
        </Button>
      </div>
    </form>
  )
}
