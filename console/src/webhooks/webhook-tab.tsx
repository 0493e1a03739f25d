import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import '../developers/developers.css'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookHead } from './webhook-head.tsx'
import { nameOf, WithWebhook, webhooksCrumb } from './with-webhook.tsx'

type Parts = {
  readonly id: string
  readonly isForm?: boolean
  readonly children: (endpoint: WebhookEndpoint) => ReactNode
}

/** What the pages of a webhook have above them. */
export const WebhookTab = ({ id, isForm = false, children }: Parts) => (
  <WithWebhook id={id}>
    {(endpoint) => (
      <Page title={nameOf(endpoint)} crumb={webhooksCrumb} hasOwnTitle actions={<WebhookActions endpoint={endpoint} />}>
        <div className="page log-head">
          <WebhookHead endpoint={endpoint} />
        </div>
        <div className={isForm ? 'page below form-page' : 'page below'}>{children(endpoint)}</div>
      </Page>
    )}
  </WithWebhook>
)
