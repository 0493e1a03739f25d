import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { ChangedMeanwhile } from '../developers/changed-meanwhile.tsx'
import { FormSaveBar } from '../developers/form-save-bar.tsx'
import { refuseOutdated } from '../developers/refuse-outdated.ts'
import { isSameOrigin } from '../developers/same-origin.ts'
import { useInput } from '../developers/use-input.ts'
import { WebhookFields } from './webhook-fields.tsx'
import { changeOf, changesInWords, labels, shownOf, wishesOf } from './webhook-input.ts'
import { webhookQuery } from './webhook-queries.ts'
import { WebhookSecret } from './webhook-secret.tsx'
import { WebhookTab } from './webhook-tab.tsx'

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
  const client = useQueryClient()
  const { base: before, input, setInput, others, begin, takeTheirs } = useInput(wishesOf(endpoint))
  const dropped = isSameOrigin(before.url, input.url) ? [] : input.headers.filter(({ isKept }) => isKept)
  const save = useAction({
    act: async () => {
      const isStill = (now: WebhookEndpoint) => changesInWords(wishesOf(now), before) === ''
      await refuseOutdated(client, { ...webhookQuery(endpoint.id), isStill })
      return api('updateWebhookEndpoint', { params: { endpointId: endpoint.id }, body: changeOf(before, input) })
    },
    refresh: ['webhooks'],
    hasForm: true,
    said: () => (dropped.length > 0 ? 'Webhook saved; its headers were removed' : 'Webhook saved'),
    onDone: (changed) => {
      client.setQueryData(webhookQuery(endpoint.id).queryKey, changed)
      begin(wishesOf(changed))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="form-section" onSubmit={submit} noValidate>
      <h2>What is sent, and where</h2>
      <WebhookFields value={input} onChange={setInput} faultOf={save.faultOf} />
      {dropped.length > 0 && (
        <p className="note will" role="status">
          The address belongs to another receiver, and header values are not sent there: saving removes{' '}
          {dropped.map(({ name }) => name).join(', ')}. Replace a value to send it again.
        </p>
      )}
      <ChangedMeanwhile
        others={others}
        labels={labels}
        theirs={before}
        yours={input}
        shownOf={shownOf}
        onTakeTheirs={takeTheirs}
      />
      <FormFault error={save.faultBeside} />
      <FormSaveBar
        changes={changesInWords(before, input)}
        consequence="Waiting messages are sent the new way."
        verb="Save changes"
        isBusy={save.isPending}
        onDiscard={() => begin(before)}
      />
    </form>
  )
}
