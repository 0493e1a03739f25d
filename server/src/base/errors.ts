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
  malformed_request: 'The request cannot be understood.',
  malformed_json: 'The body is not valid JSON.',
  unknown_api_version: 'This API version does not exist.',
  bad_cursor: 'The cursor was not issued for this list; start again without a cursor.',
  unauthorized: 'A valid API key is needed: send it as Authorization: Bearer <key>.',
  feature_unavailable: 'This feature is not available to the organization.',
  not_signed_in: 'Sign in first.',
  sign_in_failed: 'The e-mail address or the password is wrong.',
  code_needed: 'Sign in with a passkey, or send a code of the authenticator app or a recovery code with the password.',
  step_up_needed: 'Prove again who you are: this needs a proof of the last five minutes.',
  second_factor_needed: 'Your organization requires a second factor: set up a passkey or an authenticator app first.',
  cross_site: 'The console takes requests from its own pages only.',
  permission_missing: 'This key lacks the permission.',
  not_found: 'There is no such record.',
  method_not_allowed: 'This address does not take this method.',
  api_version_gone: 'Version v0 of the API was disabled on 2026-02-27.',
  link_ended: 'This link was used or has ended; ask for another.',
  body_too_large: 'The body is too large.',
  unsupported_media_type: 'The body must be JSON: send Content-Type: application/json.',
  invalid: 'The request is not acceptable.',
  search_invalid: 'The search query is not acceptable.',
  device_not_registered: 'The device is not registered to anyone.',
  check_not_external: 'Results can be reported for external checks only.',
  check_not_refreshable: 'This check does not run on the device.',
  request_decided: 'The request is decided already.',
  request_withdrawn: 'Whoever made the request has withdrawn it.',
  already_requested: 'This is asked for already, and waits for a decision.',
  already_registered: 'The device is registered to this person already.',
  not_device_owner: 'The device is not registered to this person.',
  exemptions_disallowed: 'This check allows no requests for exemptions.',
  snooze_disallowed: 'This check cannot be snoozed.',
  already_snoozed: 'This check was snoozed on the device within the last seven days.',
  delivery_pending: 'This waits to be delivered already.',
  endpoint_disabled: 'The endpoint is disabled: enable it first.',
  secret_overlapping: 'The previous secret still signs: wait until then, or end it by rolling without an overlap.',
  preview_outdated: 'The change does something else than its preview showed; look again.',
  rate_limited: 'This key has made too many requests; wait for the seconds in Retry-After.',
  internal: 'Something went wrong here; the request id helps to find out what.',
  unavailable: 'The service cannot answer at the moment; try again soon.',
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

export function fail(code: ErrorCode, particulars?: Particulars): never {
  throw new ServiceError(code, particulars)
}

/** The value, or a not_found error: the same for what never was and for what belongs to someone else. */
export function orNotFound<T>(value: T | undefined): T {
  return value ?? fail('not_found')
}
