import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'
import { RecordPage } from '../components/record-page.tsx'
import { visibleText } from '../components/visible-text.ts'
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
  return (
    <RecordPage
      record={endpoint}
      nouns={['webhook', 'webhooks']}
      id={id}
      crumb={webhooksCrumb}
      {...(!may && { lacks: 'manage_webhooks' })}
      why="It may have been deleted."
    >
      {children}
    </RecordPage>
  )
}
