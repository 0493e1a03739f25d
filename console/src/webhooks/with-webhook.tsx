import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useMay } from '../api/session.ts'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import { webhookQuery } from './webhook-queries.ts'

export const webhooksCrumb = { to: '/settings/developers/webhooks', text: 'Webhooks' } as const

/** What it was called, or else where it sends to. */
export const nameOf = ({ description, url }: WebhookEndpoint): string =>
  visibleText(description === null || description.trim() === '' ? new URL(url).host : description)

type Parts = { readonly id: string; readonly children: (endpoint: WebhookEndpoint) => ReactNode }

/** A page of a webhook, or why there is none. */
export function WithWebhook({ id, children }: Parts) {
  const may = useMay('manage_webhooks')
  const endpoint = useQuery({ ...webhookQuery(id), enabled: may })
  if (may && endpoint.data) return children(endpoint.data)
  const isMissing = endpoint.error instanceof ApiError && endpoint.error.status === 404
  return (
    <Page title="Webhook" crumb={webhooksCrumb}>
      <div className="page">
        {!may && <MissingPermission power="manage_webhooks" />}
        {isMissing && (
          <Emptiness title={`There is no webhook ${id}.`}>
            It may have been deleted.{' '}
            <Link className="u" to="/settings/developers/webhooks">
              All webhooks
            </Link>
          </Emptiness>
        )}
        {endpoint.isError && !isMissing && (
          <Failure
            what="The webhook could not be loaded."
            error={endpoint.error}
            onRetry={() => void endpoint.refetch()}
          />
        )}
        {may && endpoint.isPending && <SkeletonRows rows={4} />}
      </div>
    </Page>
  )
}
