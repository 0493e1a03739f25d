/** Every event that webhooks tell of, and what it says. */
export const webhookEventSummaries = {
  'auth_logs.success': 'Somebody signed in.',
  'auth_logs.failure': 'Somebody could not sign in.',
  'device_trust.status_changed': 'A device stands otherwise than before: good, warning, to be blocked or blocked.',
  'admin_users.created': 'An administrator was added.',
  'audit_log.recorded': 'Something was done that the audit log keeps.',
  'devices.created': 'A device enrolled.',
  'devices.registered': 'A device was registered to a person.',
  'devices.registration_suspended': 'A registration is in doubt until somebody confirms it.',
  'devices.identity_conflict': 'Two agents enroll as one device in turn.',
  'devices.updated': 'A device reports another name, operating system, hardware model or agent version.',
  'devices.destroyed': 'A device was removed for good.',
  'issues.new': 'A check found an issue on a device.',
  'issues.resolved': 'An issue on a device is there no more.',
  'requests.issue_exemption': 'Somebody asks that issues be exempted.',
  'requests.registration': 'Somebody asks to have a device registered to them.',
  'webhook.test': 'Nothing happened: an administrator tries the endpoint.',
} as const

export type WebhookEvent = keyof typeof webhookEventSummaries

export const webhookEvents = Object.keys(webhookEventSummaries) as WebhookEvent[]

/** Those that an endpoint chooses from; a test goes to whichever endpoint is tried. */
export const chosenWebhookEvents = webhookEvents.filter((event) => event !== 'webhook.test')
