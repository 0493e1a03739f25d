/** What entries of the audit log are about, and how pages call it. */
export const auditSubjectWords = {
  device: 'Device',
  person: 'Person',
  check: 'Check',
  stream: 'Stream',
  webhook: 'Webhook',
  administrator: 'Administrator',
  api_key: 'API key',
  device_group: 'Device group',
  person_group: 'Person group',
  live_query: 'Live query',
  reporting_query: 'Report',
  draft: 'Draft of a check',
  package: 'Package',
  enrolment_secret: 'Enrollment secret',
  scim_token: 'SCIM token',
  organization: 'Organization',
} as const
export type AuditSubjectKind = keyof typeof auditSubjectWords
