/** CAEP 1.0 §3.5. */
export const complianceChangeType = 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change'
/** SSF 1.0 §8.1.4. */
export const verificationType = 'https://schemas.openid.net/secevent/ssf/event-type/verification'
/** SSF 1.0 §8.1.5. */
const streamUpdatedType = 'https://schemas.openid.net/secevent/ssf/event-type/stream-updated'

/** The type of the event that a token of each kind has. */
export const typeOf = {
  compliance_change: complianceChangeType,
  test: complianceChangeType,
  verification: verificationType,
  stream_updated: streamUpdatedType,
} as const

/** What receivers may request; the verification event belongs to every stream. */
export const supportedEvents = [complianceChangeType, verificationType] as const

/** What a receiver requested, as it is stored: without the verification event, which every stream has. */
export const requestedEvents = (events: readonly string[]): string[] =>
  [...new Set(events)].filter((event) => event !== verificationType)
