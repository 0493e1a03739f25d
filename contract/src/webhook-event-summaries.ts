/** Every event that webhooks report, and what it says. */
export const webhookEventSummaries = {
  'auth_logs.success': 'Someone signed in.',
  'auth_logs.failure': 'Someone could not sign in.',
  'device_trust.status_changed': 'A device changed state (good, notified, will block, blocked).',
  'admin_users.created': 'An administrator was added.',
  'audit_log.recorded': 'An audit log entry was recorded.',
  'devices.created': 'A device enrolled.',
  'devices.registered': 'A device was registered to a person.',
  'devices.registration_suspended': 'A registration is suspended until someone confirms it.',
  'devices.identity_conflict': 'Two agents enroll as one device.',
  'devices.updated': 'A device reports another name, operating system, hardware model or agent version.',
  'devices.destroyed': 'A device was removed for good.',
  'issues.new': 'A check found an issue on a device.',
  'issues.resolved': 'An issue on a device was resolved.',
  'requests.issue_exemption': 'Someone asks that issues be exempted.',
  'requests.registration': 'Someone asks to have a device registered to them.',
  'webhook.test': 'Test event sent by an administrator. Receivers can ignore it.',
} as const

export type WebhookEvent = keyof typeof webhookEventSummaries

export const webhookEvents = Object.keys(webhookEventSummaries) as WebhookEvent[]

/** Those that an endpoint chooses from; a test goes to whichever endpoint is tried. */
export const chosenWebhookEvents = webhookEvents.filter((event) => event !== 'webhook.test')
