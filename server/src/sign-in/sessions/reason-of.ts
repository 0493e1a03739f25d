import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import type { SessionState } from '../../base/db/schema.ts'

type Standing = { state: SessionState; device?: { registration_suspended_at: string | null } | undefined }

/** Who may continue, or has yet to do something on the page, has left it where nothing more happens. */
const ofState: Readonly<Record<Exclude<SessionState, 'ask_it'>, SignInReason>> = {
  identifying: 'abandoned',
  looking: 'abandoned',
  unknown_person: 'person_deprovisioned',
  linking: 'agent_not_linked',
  evaluating: 'checks_unfinished',
  register: 'device_unknown',
  confirm: 'registration_suspended',
  not_ready: 'registration_required_checks',
  awaiting_approval: 'registration_pending',
  denied: 'registration_denied',
  not_your_device: 'not_allowed_person',
  unfinished: 'checks_unfinished',
  blocked: 'blocked_by_issues',
  warning: 'abandoned',
  passed: 'abandoned',
  observed: 'abandoned',
  bypassed: 'abandoned',
  keeps_asking: 'abandoned',
  ended: 'device_deleted',
}

/** Why a sign-in that has a device fails if nothing more happens in it. */
export function reasonOf({ state, device }: Standing): SignInReason {
  if (state === 'ask_it') return device?.registration_suspended_at ? 'registration_suspended' : 'device_unknown'
  return ofState[state]
}
