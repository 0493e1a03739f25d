import { Button, Menu } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { ResendDialog } from './resend-dialog.tsx'
import { TestDialog } from './test-dialog.tsx'
import { nameOf } from './with-webhook.tsx'

type Opened = 'test' | 'resend' | 'disable' | 'delete'

/** What can be done with a webhook, from each of its pages. */
export function WebhookActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const set = useAction({
    act: (enabled: boolean) => request(`/webhook_endpoints/${endpoint.id}`, { method: 'PATCH', body: { enabled } }),
    refresh: [['webhooks']],
    said: (_, enabled) =>
      enabled
        ? `“${nameOf(endpoint)}” is enabled; what waits is sent`
        : `“${nameOf(endpoint)}” is disabled; what happens is not queued for it`,
    undo: (_, enabled) => ({ label: 'Undo', run: () => set.mutate(!enabled) }),
    onDone: close,
  })
  return (
    <>
      {endpoint.enabled ? (
        <Button onClick={() => setOpened('test')}>Send test…</Button>
      ) : (
        <Button variant="filled" loading={set.isPending} onClick={() => set.mutate(true)}>
          Enable
        </Button>
      )}
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button aria-label="More for this webhook" className="icon-button">
            <Icon name="dots" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {endpoint.enabled && <Menu.Item onClick={() => setOpened('resend')}>Send again from…</Menu.Item>}
          {endpoint.enabled && <Menu.Item onClick={() => setOpened('disable')}>Disable…</Menu.Item>}
          <Menu.Item className="bad" onClick={() => setOpened('delete')}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <TestDialog endpoint={endpoint} isOpen={opened === 'test'} onClose={close} />
      <ResendDialog endpointId={endpoint.id} isOpen={opened === 'resend'} onClose={close} />
      <ConfirmDialog
        isOpen={opened === 'disable'}
        onClose={close}
        question={`Disable “${nameOf(endpoint)}”?`}
        consequences={['What happens from now on is not queued for it, and never sent.']}
        stays="What waits already is kept for up to 30 days, and sent when it is enabled again."
        verb="Disable the webhook"
        onConfirm={() => set.mutate(false)}
        isBusy={set.isPending}
      />
      <DeleteWebhook endpoint={endpoint} isOpen={opened === 'delete'} onClose={close} />
    </>
  )
}
