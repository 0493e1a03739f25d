import type { WebhookEvent } from './webhook-event-summaries.ts'
import type { WebhookData } from './webhook-events.ts'

const address = (path: string) => `https://muster.example.com${path}`

const device = { device_id: 1042, device_name: 'Ana’s MacBook' }
const deviceNews = {
  ...device,
  device_url: address('/devices/1042'),
  registered_owner: { id: 77, name: 'Ana Ruiz', email: 'ana@acme.example', owner_url: address('/people/77') },
}
const issueNews = {
  issue_id: 3018,
  title: 'The disk is not encrypted',
  check_id: 12,
  device_id: device.device_id,
  device: { id: device.device_id, name: device.device_name },
  check: { id: 12, name: 'Disk encryption', tags: ['Baseline'] },
}
const signIn = {
  auth_log_url: address('/auth_logs/5120'),
  browser_name: 'Firefox',
  browser_version: '145.0',
  ...device,
  launcher_version: '5.19.0',
  person_id: 77,
}

const data: { readonly [Event in WebhookEvent]: WebhookData<Event> } = {
  'auth_logs.success': signIn,
  'auth_logs.failure': { ...signIn, device_id: null, device_name: null, launcher_version: null },
  'device_trust.status_changed': { ...device, device_status: 'blocked', device_url: deviceNews.device_url },
  'admin_users.created': {
    ...{ admin_user_id: 5, first_name: 'Tom', last_name: 'Okafor', email: 'tom@acme.example', access: 'full' },
    admin_user_url: address('/admin_users/5'),
  },
  'audit_log.recorded': {
    ...{ actor_name: 'Tom Okafor', actor_type: 'User', actor_email: 'tom@acme.example', ip_address: '203.0.113.7' },
    action: 'device.registered',
    description: 'Registered the device "Ana’s MacBook" to "Ana Ruiz" (ana@acme.example).',
  },
  'devices.created': { ...deviceNews, device_status: 'good', registered_owner: null },
  'devices.registered': { ...deviceNews, device_status: 'good' },
  'devices.registration_suspended': {
    ...deviceNews,
    device_status: 'good',
    reason: 'It enrolled again while its earlier agent was in use.',
  },
  'devices.identity_conflict': { ...deviceNews, device_status: 'good' },
  'devices.updated': {
    ...deviceNews,
    device_status: 'good',
    changes: [{ field: 'operating_system', from: 'macOS 26.0', to: 'macOS 26.1' }],
  },
  'devices.destroyed': { ...device, status: 'notified' },
  'issues.new': issueNews,
  'issues.resolved': issueNews,
  'requests.issue_exemption': {
    ...device,
    person_email: 'ana@acme.example',
    message: 'It is a test machine without data.',
    issues: [{ issue_id: 3018, issue_url: address('/issues/3018') }],
  },
  'requests.registration': {
    device: { id: device.device_id, name: device.device_name, url: deviceNews.device_url },
    requester: { id: 77, email: 'ana@acme.example', url: address('/people/77') },
    message: 'This is my new laptop.',
  },
  'webhook.test': { message: 'This is a test: nothing has happened.' },
}

/** What an endpoint is sent, by way of example. */
export const webhookExample = (event: WebhookEvent) => ({
  event,
  id: '01KAF5J8T3Q4V9R0C6M1B7X2ZD',
  timestamp: '2026-11-20T09:14:03Z',
  cause: 'e1ac0503-ca5c-4139-9fc6-ae7a8211d497',
  data: data[event],
})
