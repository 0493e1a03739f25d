import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import type { SessionState } from './session-rules.ts'

type Standing = { state: SessionState; device?: { registration_suspended_at: string | null } | undefined }

const ofState: Readonly<Partial<Record<SessionState, SignInReason>>> = {
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
  ended: 'device_deleted',
}

/** Why a sign-in that has a device fails if nothing more happens in it. */
export function reasonOf({ state, device }: Standing): SignInReason {
  if (state === 'ask_it') return device?.registration_suspended_at ? 'registration_suspended' : 'device_unknown'
  return ofState[state] ?? 'abandoned'
}

/** The same of one whose page found no device. */
export function reasonOfDetection(failure: string): SignInReason {
  switch (failure) {
    case 'permission_denied':
      return 'agent_permission_denied'
    case 'agent_outdated':
    case 'proof_invalid':
    case 'proof_relayed':
    case 'several_devices':
      return failure
    case 'linking':
      return 'agent_not_linked'
    default:
      return 'agent_not_found'
  }
}
