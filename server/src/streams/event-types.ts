/** CAEP 1.0 §3.5. */
export const complianceChangeType = 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change'
/** SSF 1.0 §8.1.4. */
export const verificationType = 'https://schemas.openid.net/secevent/ssf/event-type/verification'
/** SSF 1.0 §8.1.5. */
export const streamUpdatedType = 'https://schemas.openid.net/secevent/ssf/event-type/stream-updated'
