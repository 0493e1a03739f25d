import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readAfter } from '../components/read-filters.ts'
import { readEventFilters } from '../streams/event-filters.ts'
import { readDeliveryFilters } from '../webhooks/webhook-queries.ts'
import { shell } from './frame.ts'

const keys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/keys',
  validateSearch: (raw: Record<string, unknown>): { after?: string; review?: 'true' } => ({
    ...readAfter(raw),
    ...(String(raw['review']) === 'true' && { review: 'true' }),
  }),
  component: lazyRouteComponent(() => import('../keys/keys-page.tsx'), 'KeysPage'),
})

const newKey = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/keys/new',
  component: lazyRouteComponent(() => import('../keys/new-key-page.tsx'), 'NewKeyPage'),
})

const key = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/keys/$keyId',
  component: lazyRouteComponent(() => import('../keys/key-page.tsx'), 'KeyPage'),
})

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks',
  component: lazyRouteComponent(() => import('../webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const newWebhook = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/new',
  component: lazyRouteComponent(() => import('../webhooks/new-webhook-page.tsx'), 'NewWebhookPage'),
})

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId',
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(() => import('../webhooks/webhook-page.tsx'), 'WebhookPage'),
})

const webhookSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId/settings',
  component: lazyRouteComponent(() => import('../webhooks/webhook-settings-page.tsx'), 'WebhookSettingsPage'),
})

const webhookAudit = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId/audit',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../webhooks/webhook-audit-page.tsx'), 'WebhookAuditPage'),
})

const webhookDelivery = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/webhooks/$endpointId/deliveries/$deliveryId',
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(() => import('../webhooks/delivery-page.tsx'), 'DeliveryPage'),
})

const streams = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../streams/streams-page.tsx'), 'StreamsPage'),
})

const newStream = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/new',
  component: lazyRouteComponent(() => import('../streams/new-stream-page.tsx'), 'NewStreamPage'),
})

const stream = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId',
  validateSearch: readEventFilters,
  component: lazyRouteComponent(() => import('../streams/stream-page.tsx'), 'StreamPage'),
})

const streamSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId/settings',
  component: lazyRouteComponent(() => import('../streams/stream-settings-page.tsx'), 'StreamSettingsPage'),
})

const streamKeys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId/keys',
  component: lazyRouteComponent(() => import('../streams/stream-keys-page.tsx'), 'StreamKeysPage'),
})

const streamAudit = createRoute({
  getParentRoute: () => shell,
  path: '/settings/developers/streams/$streamId/audit',
  validateSearch: readAfter,
  component: lazyRouteComponent(() => import('../streams/stream-audit-page.tsx'), 'StreamAuditPage'),
})

const streamPages = [streams, newStream, stream, streamSettings, streamKeys, streamAudit]
const webhookPages = [webhooks, newWebhook, webhook, webhookSettings, webhookAudit, webhookDelivery]
export const developerPages = [...streamPages, ...webhookPages, keys, newKey, key]
