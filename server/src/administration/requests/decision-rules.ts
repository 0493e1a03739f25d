import type { FieldError } from '@muster/contract/errors.ts'
import type { ExemptionRequestDecision } from '@muster/contract/exemption-requests.ts'
import type { RegistrationRequestDecision } from '@muster/contract/registration-requests.ts'
import { storable } from '../../base/storable.ts'

export type Decision = {
  status: 'approved' | 'denied'
  internalMessage: string | null
  /** For the requester; null unless denied. */
  explanation: string | null
}

type Reading = { ok: Decision } | { errors: FieldError[] }

const textOf = (text: string | null | undefined): string | null => {
  const kept = storable(text ?? '').trim()
  return kept === '' ? null : kept
}

const neededToDeny = (field: string): FieldError => ({ field, message: 'is required when the request is denied' })

/** What a request body decides about an exemption request. */
export function readExemptionDecision(body: ExemptionRequestDecision): Reading {
  const note = body.internal_message ?? body.reviewer_note
  const internalMessage = textOf(note)
  const explanation = body.status === 'denied' ? textOf(body.denial_explanation) : null
  const fault = note === undefined ? 'is required' : 'must not be blank'
  const errors = [
    ...(internalMessage === null ? [{ field: 'internal_message', message: fault }] : []),
    ...(body.status === 'denied' && explanation === null ? [neededToDeny('denial_explanation')] : []),
  ]
  return errors.length > 0 ? { errors } : { ok: { status: body.status, internalMessage, explanation } }
}

/** What a request body decides about a registration request. */
export function readRegistrationDecision(body: RegistrationRequestDecision): Reading {
  const { status } = body
  const internalMessage = textOf(body.internal_message)
  if (status === 'approved') return { ok: { status, internalMessage, explanation: null } }
  const explanation = textOf(body.end_user_denial_message)
  if (explanation === null) return { errors: [neededToDeny('end_user_denial_message')] }
  return { ok: { status, internalMessage: internalMessage ?? textOf(body.internal_denial_reason), explanation } }
}

/** Of what a requester writes. */
export const maxMessageLength = 5_000

/** What a requester writes, as it can be kept. */
export function readMessage(message: string): { ok: string } | { errors: FieldError[] } {
  const kept = textOf(message)
  if (kept === null) return { errors: [{ field: 'message', message: 'must not be blank' }] }
  if (kept.length <= maxMessageLength) return { ok: kept }
  return { errors: [{ field: 'message', message: `must not have more than ${maxMessageLength} characters` }] }
}
