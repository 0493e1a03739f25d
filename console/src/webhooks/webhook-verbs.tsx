import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import type { Verb } from '../components/verbs.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { ResendDialog } from './resend-dialog.tsx'
import { TestDialog } from './test-dialog.tsx'
import { nameOf } from './with-webhook.tsx'

type Opened = 'test' | 'resend' | 'disable' | 'delete'
type Name = 'test' | 'enable' | 'resend' | 'disable' | 'delete'
type WebhookVerbs = { readonly verbs: Readonly<Record<Name, Verb | false>>; readonly dialogs: ReactNode }

/** What can be done with a webhook, from each of its pages and from its row. */
export function useWebhookVerbs(endpoint: WebhookEndpoint, onDeleted: () => void): WebhookVerbs {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const set = useAction({
    act: (enabled: boolean) => api('updateWebhookEndpoint', { params: { endpointId: endpoint.id }, body: { enabled } }),
    refresh: ['webhooks'],
    said: (_, enabled) =>
      enabled
        ? `“${nameOf(endpoint)}” is enabled; waiting messages are sent`
        : `“${nameOf(endpoint)}” is disabled; events are not queued for it`,
    undo: (_, enabled) => ({ label: 'Undo', run: () => set.mutate(!enabled) }),
    onDone: close,
  })
  const asked = (text: string, name: Opened): Verb => ({ text, run: () => setOpened(name) })
  const at = (name: Opened) => ({ isOpen: opened === name, onClose: close })
  return {
    verbs: {
      test: endpoint.enabled && asked('Send test…', 'test'),
      enable: !endpoint.enabled && { text: 'Enable', run: () => set.mutate(true), isBusy: set.isPending },
      resend: endpoint.enabled && asked('Send again from…', 'resend'),
      disable: endpoint.enabled && asked('Disable…', 'disable'),
      delete: { ...asked('Delete…', 'delete'), isDangerous: true },
    },
    dialogs: (
      <>
        <TestDialog endpoint={endpoint} {...at('test')} />
        <ResendDialog endpointId={endpoint.id} {...at('resend')} />
        <ConfirmDialog
          {...at('disable')}
          question={`Disable “${nameOf(endpoint)}”?`}
          consequences={['Events from now on are not queued and never sent.']}
          stays="Waiting messages are kept for up to 30 days, and sent when you enable it again."
          verb="Disable the webhook"
          onConfirm={() => set.mutate(false)}
          isBusy={set.isPending}
        />
        {opened === 'delete' && <DeleteWebhook endpoint={endpoint} onDeleted={onDeleted} {...at('delete')} />}
      </>
    ),
  }
}
