/** Why a sign-in failed, for programs, and in the words of the console. The API of records leaves it out. */
export const signInReasons = {
  agent_not_found: 'No agent answered',
  agent_permission_denied: 'The browser was not allowed to ask the agent',
  agent_outdated: 'The agent is too old',
  agent_not_linked: 'The agent was not linked to its device yet',
  proof_invalid: 'The proof of the device was refused',
  proof_relayed: 'A relay asked the agent in place of the browser',
  several_devices: 'More than one device answered',
  person_unknown: 'Nobody on the list has this account',
  person_deprovisioned: 'The person left',
  another_account: 'The address is of someone who signs in with another account',
  device_unknown: 'The device is registered to no one',
  device_deleted: 'The device was deleted',
  not_allowed_person: 'The device is registered to another person',
  registration_pending: 'The registration waits for approval',
  registration_denied: 'The registration was denied',
  registration_required_checks: 'Checks that registering requires did not pass',
  registration_suspended: 'The registration is suspended',
  blocked_by_issues: 'Issues block the device',
  checks_unfinished: 'Checks brought no result',
  request_unmet: 'The sign-in is not what the application asked for',
  cancelled: 'The person canceled',
  abandoned: 'The person left the page',
} as const

export type SignInReason = keyof typeof signInReasons
export const signInReasonNames = Object.keys(signInReasons) as SignInReason[]
