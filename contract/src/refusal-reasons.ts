/** Why people would be refused at a sign-in, in the order in which a report shows them. */
export const refusalReasons = [
  'no_device',
  'no_companion_for_platform',
  'no_companion',
  'companion_silent',
  'suspended',
  'blocked',
  'phone_only',
] as const
export type RefusalReason = (typeof refusalReasons)[number]
