import { Button } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useMay } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { fieldNamesOf, WebhookFields } from './webhook-fields.tsx'
import { bodyOf, noWishes } from './webhook-wishes.ts'
import { nameOf, webhooksCrumb } from './with-webhook.tsx'

export function NewWebhookPage() {
  const may = useMay('manage_webhooks')
  const [made, setMade] = useState<WebhookEndpoint>()
  return (
    <Page title={made ? 'The webhook is made' : 'New webhook'} crumb={webhooksCrumb}>
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
      <b className="m">{nameOf(endpoint)}</b> is told of{' '}
      {endpoint.events.length === 1 ? '1 event' : `${endpoint.events.length} events`} from now on. Its receiver verifies
      each request with this secret.
    </p>
    <SecretOnce
      label="Signing secret"
      secret={endpoint.secret ?? ''}
      after="Later it is to be had by revealing it under Settings, which the audit log tells."
    />
    <p>
      <Link className="u" to="/settings/developers/webhooks/$endpointId" params={{ endpointId: endpoint.id }}>
        Go to the webhook
      </Link>
    </p>
  </>
)

function NewWebhookForm({ onMade }: { onMade: (endpoint: WebhookEndpoint) => void }) {
  const [wishes, setWishes] = useState(noWishes)
  const create = useAction({
    act: () => request<WebhookEndpoint>('/webhook_endpoints', { method: 'POST', body: bodyOf(wishes) }),
    refresh: [['webhooks']],
    hasForm: true,
    onDone: onMade,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <WebhookFields value={wishes} onChange={setWishes} faultOf={create.faultOf} />
      <FormFault error={create.faultBeside(...fieldNamesOf(wishes))} />
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
