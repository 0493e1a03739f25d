import { Button } from '@mantine/core'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queryClient } from '../api/query-client.ts'
import { useMay } from '../api/session.ts'
import { Health } from '../components/health.tsx'
import { Icon } from '../components/icon.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { RowMenu, RowMenuHead } from '../components/row-menu.tsx'
import { Scroller } from '../components/scroller.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { webhooksQuery } from './webhook-queries.ts'
import { useWebhookVerbs } from './webhook-verbs.tsx'
import { nameOf } from './with-webhook.tsx'

export function WebhooksPage() {
  const may = useMay('manage_webhooks')
  const webhooks = useQuery({ ...webhooksQuery, enabled: may })
  const rows = webhooks.data?.data ?? []
  return (
    <Page
      title="Webhooks"
      actions={
        may && (
          <Button
            component={Link}
            to="/settings/developers/webhooks/new"
            variant="filled"
            leftSection={<Icon name="plus" size={14} />}
          >
            New webhook
          </Button>
        )
      }
    >
      <div className="page">
        {!may && <MissingPermission power="manage_webhooks" />}
        {webhooks.isError && (
          <Failure
            what="Webhooks could not be loaded."
            error={webhooks.error}
            onRetry={() => void webhooks.refetch()}
          />
        )}
        {may && webhooks.isPending && <SkeletonRows rows={4} />}
        {webhooks.data && rows.length === 0 && (
          <Emptiness title="No webhooks yet." guide="webhooks">
            Webhooks send events to your own systems.
          </Emptiness>
        )}
        {rows.length > 0 && (
          <Scroller isList name="Webhooks">
            <table className="t record-table">
              <thead>
                <tr>
                  <th>Webhook</th>
                  <th>Address</th>
                  <th className="num w-issues">Events</th>
                  <th className="w-health">Health</th>
                  <th className="num w-seen">Latest delivered</th>
                  <RowMenuHead />
                </tr>
              </thead>
              <tbody>
                {rows.map((endpoint) => (
                  <tr key={endpoint.id}>
                    <td className="c-name">
                      <Link
                        to="/settings/developers/webhooks/$endpointId"
                        params={{ endpointId: endpoint.id }}
                        className="m ell"
                        data-row-link
                      >
                        {nameOf(endpoint)}
                      </Link>
                    </td>
                    <td className="c-sub" title={endpoint.url}>
                      <code className="t2">{endpoint.url}</code>
                    </td>
                    <td className="c-more num" title={endpoint.events.join(', ')}>
                      {endpoint.events.length}
                    </td>
                    <td className="c-lead" title={endpoint.health.last_error ?? undefined}>
                      <Health state={endpoint.health.state} />
                    </td>
                    <td className="c-time num t2">
                      <RelativeTime time={endpoint.health.last_delivered_at} missing="never" />
                    </td>
                    <td className="c-menu">
                      <RowMenu name={nameOf(endpoint)}>
                        {(menu) => <WebhookMenu endpoint={endpoint} menu={menu} />}
                      </RowMenu>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
      </div>
    </Page>
  )
}

const readAnew = () => void queryClient.invalidateQueries({ queryKey: ['webhooks', 'list'] })

function WebhookMenu({ endpoint, menu }: { endpoint: WebhookEndpoint; menu: (items: ReactNode) => ReactNode }) {
  const { verbs, dialogs } = useWebhookVerbs(endpoint, readAnew)
  return (
    <>
      {menu(<VerbItems verbs={[verbs.enable, verbs.test, verbs.resend, verbs.disable, verbs.delete]} />)}
      {dialogs}
    </>
  )
}
