import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { SaveBar } from '../developers/save-bar.tsx'
import { fieldNamesOf, WebhookFields } from './webhook-fields.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import { WebhookTab } from './webhook-tab.tsx'
import { bodyOf, changesInWords, wishesOf } from './webhook-wishes.ts'

const route = getRouteApi('/shell/settings/developers/webhooks/$endpointId/settings')

export function WebhookSettingsPage() {
  const { endpointId } = route.useParams()
  return (
    <WebhookTab id={endpointId} isForm>
      {(endpoint) => (
        <>
          <WebhookSecret endpoint={endpoint} />
          <SettingsForm key={endpoint.id} endpoint={endpoint} />
        </>
      )}
    </WebhookTab>
  )
}

function SettingsForm({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [before, setBefore] = useState(() => wishesOf(endpoint))
  const [wishes, setWishes] = useState(before)
  const save = useAction({
    act: () => request<WebhookEndpoint>(`/webhook_endpoints/${endpoint.id}`, { method: 'PATCH', body: bodyOf(wishes) }),
    refresh: [['webhooks']],
    hasForm: true,
    said: () => 'The webhook is changed',
    onDone: (changed) => {
      setBefore(wishesOf(changed))
      setWishes(wishesOf(changed))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="form-section" onSubmit={submit} noValidate>
      <h2>What is sent, and where</h2>
      <WebhookFields value={wishes} onChange={setWishes} faultOf={save.faultOf} />
      <FormFault error={save.faultBeside(...fieldNamesOf(wishes))} />
      <SaveBar
        changes={changesInWords(before, wishes)}
        consequence="What waits is sent the new way."
        verb="Save the changes"
        isBusy={save.isPending}
        onDiscard={() => setWishes(before)}
      />
    </form>
  )
}
