import { Button } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { refresh } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Health } from '../components/health.tsx'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { menuColumn } from '../components/row-menu.tsx'
import { VerbItems } from '../components/verbs.tsx'
import '../developers/developers.css'
import { webhooksQuery } from './webhook-queries.ts'
import { useWebhookVerbs } from './webhook-verbs.tsx'
import { nameOf } from './with-webhook.tsx'

export function WebhooksPage() {
  const may = useMay('manage_webhooks')
  return (
    <ListPage
      title="Webhooks"
      name="Webhooks"
      nouns={['webhook', 'webhooks']}
      {...(!may && { lacks: 'manage_webhooks' })}
      actions={may && <NewWebhook />}
      list={useQuery({ ...webhooksQuery, enabled: may })}
      filters={{}}
      read={() => ({})}
      inWords={() => ''}
      empty={
        <Emptiness title="No webhooks yet." guide="webhooks">
          Webhooks send events to your own systems.
        </Emptiness>
      }
    >
      {(rows) => <Records rows={rows} columns={columns} />}
    </ListPage>
  )
}

const NewWebhook = () => (
  <Button
    component={Link}
    to="/settings/developers/webhooks/new"
    variant="filled"
    leftSection={<Icon name="plus" size={14} />}
  >
    New webhook
  </Button>
)

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    text: 'Webhook',
    className: 'c-name',
    cell: (endpoint) => (
      <Link
        to="/settings/developers/webhooks/$endpointId"
        params={{ endpointId: endpoint.id }}
        className="medium ellipsis"
        data-row-link
      >
        {nameOf(endpoint)}
      </Link>
    ),
  },
  {
    text: 'Address',
    className: 'c-sub',
    title: ({ url }) => url,
    cell: ({ url }) => <code className="secondary">{url}</code>,
  },
  {
    text: 'Events',
    head: 'numeric w-issues',
    className: 'c-more numeric',
    title: ({ events }) => events.join(', '),
    cell: ({ events }) => events.length,
  },
  {
    text: 'Health',
    head: 'w-health',
    className: 'c-lead',
    title: ({ health }) => health.last_error,
    cell: ({ health }) => <Health state={health.state} />,
  },
  {
    text: 'Latest delivered',
    head: 'numeric w-seen',
    className: 'c-time numeric secondary',
    cell: ({ health }) => <RelativeTime time={health.last_delivered_at} missing="never" />,
  },
  menuColumn({ nameOf, menuOf: (endpoint) => (menu) => <WebhookMenu endpoint={endpoint} menu={menu} /> }),
]

const reread = () => void refresh('listWebhookEndpoints')

function WebhookMenu({ endpoint, menu }: { endpoint: WebhookEndpoint; menu: (items: ReactNode) => ReactNode }) {
  const { verbs, dialogs } = useWebhookVerbs(endpoint, reread)
  return (
    <>
      {menu(<VerbItems verbs={[verbs.enable, verbs.test, verbs.resend, verbs.disable, verbs.delete]} />)}
      {dialogs}
    </>
  )
}
