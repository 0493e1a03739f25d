import type { ErrorCode, FieldError } from '@muster/contract/errors.ts'

type Particulars = {
  /** Shown to the caller instead of the code's own sentence. */
  message?: string
  /** Shown to the caller where the code's body has room for them: the 422s. */
  errors?: readonly FieldError[]
  /** When to come again, with a 429. */
  retryAfterSeconds?: number
  /** For the log only. */
  detail?: string
  cause?: unknown
}

/** What each code says unless it is given a message of its own. */
export const messages: Record<ErrorCode, string> = {
  malformed_request: 'The request is malformed.',
  malformed_json: 'The body is not valid JSON.',
  unknown_api_version: 'This API version does not exist.',
  bad_cursor: 'The cursor was not issued for this list; start again without a cursor.',
  unauthorized: 'Send a valid API key as Authorization: Bearer <key>.',
  feature_unavailable: 'This feature is not available to the organization.',
  not_signed_in: 'Sign in first.',
  sign_in_failed: 'The e-mail address or the password is wrong.',
  administrator_deprovisioned:
    'You are deprovisioned in Muster, so you cannot sign in to the console. Ask an administrator to restore you.',
  code_needed: 'Sign in with a passkey, or send a code of the authenticator app or a recovery code with the password.',
  step_up_needed: 'Confirm who you are: this needs a confirmation of the last five minutes.',
  second_factor_needed: 'Your organization requires a second factor: set up a passkey or an authenticator app first.',
  cross_site: 'The console accepts requests from its own pages only.',
  permission_missing: 'This key lacks the permission.',
  not_found: 'There is no such record.',
  method_not_allowed: 'This address does not support this method.',
  api_version_gone: 'Version v0 of the API was disabled on 2026-02-27.',
  link_ended: 'This link was used or has expired. Ask for a new one.',
  body_too_large: 'The body is too large.',
  unsupported_media_type: 'The body must be JSON: send Content-Type: application/json.',
  invalid: 'The request is not valid.',
  search_invalid: 'The search query is not valid.',
  device_not_registered: 'The device is not registered to anyone.',
  check_not_external: 'You can report results for external checks only.',
  check_not_refreshable: 'This check does not run on the device.',
  request_decided: 'The request has already been decided.',
  request_withdrawn: 'The requester has withdrawn this request.',
  already_requested: 'There is already a request for this, and it waits for a decision.',
  already_registered: 'The device is already registered to this person.',
  not_device_owner: 'The device is not registered to this person.',
  exemptions_disallowed: 'This check does not allow exemption requests.',
  snooze_disallowed: 'This check cannot be snoozed.',
  already_snoozed: 'This check was snoozed on the device within the last seven days.',
  person_provided: 'SCIM provides this person. Deprovision or restore them in your identity provider.',
  delivery_pending: 'This is already waiting to be delivered.',
  endpoint_disabled: 'The endpoint is disabled: enable it first.',
  secret_overlapping:
    'The previous secret is still in use: wait until it ends, or roll without an overlap to end it now.',
  preview_outdated: 'The change no longer does what its preview showed. Review it again.',
  rate_limited: 'This key has made too many requests. Wait the number of seconds in Retry-After.',
  internal: 'Something went wrong on our side. Give the request id to your operator.',
  unavailable: 'The service is unavailable right now. Try again soon.',
}

/** A refusal or failure that the caller is told about. `message` and `errors` are public, `detail` and `cause` are not. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly detail: string | undefined

  constructor(
    code: ErrorCode,
    { message = messages[code], errors, retryAfterSeconds, detail, cause }: Particulars = {},
  ) {
    super(message, { cause })
    this.code = code
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
    this.detail = detail
  }
}

/** For what is being done for too many at this moment. */
export const tooBusy = (message: string): ServiceError =>
  new ServiceError('rate_limited', { message, retryAfterSeconds: 5 })

export function fail(code: ErrorCode, particulars?: Particulars): never {
  throw new ServiceError(code, particulars)
}

/** The value, or a not_found error: the same for what never was and for what belongs to someone else. */
export function orNotFound<T>(value: T | undefined): T {
  return value ?? fail('not_found')
}
