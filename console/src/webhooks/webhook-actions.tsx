import { Button, Menu } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useNavigate } from '@tanstack/react-router'
import { forget } from '../api/query.ts'
import { Icon } from '../components/icon.tsx'
import { VerbButton } from '../components/verb-button.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { useWebhookVerbs } from './webhook-verbs.tsx'

/** At the top of each page of a webhook. */
export function WebhookActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const navigate = useNavigate()
  const { verbs, dialogs } = useWebhookVerbs(endpoint, () => {
    void navigate({ to: '/settings/developers/webhooks' })
    forget('webhooks')
  })
  const { enable } = verbs
  return (
    <>
      <VerbButton verb={verbs.test} />
      {enable && (
        <Button variant="filled" loading={enable.isBusy ?? false} onClick={enable.run}>
          {enable.text}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button aria-label="More for this webhook" className="icon-button">
            <Icon name="dots" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <VerbItems verbs={[verbs.resend, verbs.disable, verbs.delete]} />
        </Menu.Dropdown>
      </Menu>
      {dialogs}
    </>
  )
}
