import type { ErrorCode, FieldError, ValidationErrorBody } from '@muster/contract/errors.ts'
import { messages, ServiceError } from '../base/errors.ts'
import { CursorError } from '../base/lists/cursor.ts'
import { SearchError } from '../base/lists/search-error.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'

export const statusOf: Record<ErrorCode, number> = {
  malformed_request: 400,
  malformed_json: 400,
  unknown_api_version: 400,
  bad_cursor: 400,
  unauthorized: 401,
  feature_unavailable: 401,
  not_signed_in: 401,
  sign_in_failed: 401,
  code_needed: 401,
  permission_missing: 403,
  cross_site: 403,
  step_up_needed: 403,
  second_factor_needed: 403,
  administrator_deprovisioned: 403,
  not_found: 404,
  method_not_allowed: 405,
  api_version_gone: 410,
  link_ended: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  search_invalid: 422,
  device_not_registered: 422,
  check_not_external: 422,
  check_not_refreshable: 422,
  request_decided: 422,
  request_withdrawn: 422,
  already_requested: 422,
  already_registered: 422,
  not_device_owner: 422,
  exemptions_disallowed: 422,
  snooze_disallowed: 422,
  already_snoozed: 422,
  person_provided: 422,
  delivery_pending: 422,
  endpoint_disabled: 422,
  secret_overlapping: 422,
  preview_outdated: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
}

/** What the framework calls the faults of a request. */
const frameworkCodes: Partial<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
}

/** Whatever was thrown, as what the caller is told; what it was stays in `cause` for the log. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof SearchError) {
    return new ServiceError('search_invalid', {
      message: error.message,
      errors: [{ field: 'query', message: `${error.message} (at position ${error.position})` }],
    })
  }
  if (error instanceof CursorError) return new ServiceError('bad_cursor', { message: `${error.message}.` })
  if (isDatabaseUnavailable(error)) return new ServiceError('unavailable', { cause: error })
  return new ServiceError(codeOf(error), { cause: error })
}

function codeOf(error: unknown): ErrorCode {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return 'internal'
  const known = frameworkCodes[String(error.code)]
  if (known) return known
  const isRefusal = String(error.code).startsWith('FST_') && Number(error.statusCode) < 500
  return isRefusal ? 'malformed_request' : 'internal'
}

type SentBody = { error: ErrorCode; message: string; errors?: ValidationErrorBody['errors'] }

export function errorBodyOf({ code, message, errors }: ServiceError): SentBody {
  if (statusOf[code] !== 422) return { error: code, message }
  const faults: FieldError[] = errors && errors.length > 0 ? [...errors] : [{ field: fieldOf[code] ?? '', message }]
  const isGeneral = code === 'invalid' && message === messages.invalid
  return { error: code, message: isGeneral ? summaryOf(faults) : message, errors: faults }
}

/** The parameter or member that a refusal is about, for codes that are always about the same one. */
const fieldOf: Partial<Record<ErrorCode, string>> = {
  device_not_registered: 'deviceId',
  check_not_external: 'checkId',
  check_not_refreshable: 'check_id',
  request_decided: 'status',
  request_withdrawn: 'status',
  endpoint_disabled: 'endpointId',
  delivery_pending: 'deliveryId',
  secret_overlapping: 'overlap_seconds',
}

const maxSubjectLength = 100

/** The first fault as a sentence, for clients that show nothing but the message. */
function summaryOf([first, ...others]: readonly FieldError[]): string {
  if (!first || (first.field === '' && first.message === messages.invalid)) return messages.invalid
  const rest = others.length === 0 ? '' : ` ${others.length} more: see errors.`
  return `${sentenceOf(first)}${rest}`
}

function sentenceOf({ field, message }: FieldError): string {
  const isPredicate = /^(?:is|are|was|has|have|must|may|can|cannot|does|needs|reads|allows) /.test(message)
  const end = /[.!?]$/.test(message) ? '' : '.'
  if (field !== '') return `${field.slice(0, maxSubjectLength)}${isPredicate ? '' : ':'} ${message}${end}`
  return isPredicate ? `The request ${message}${end}` : `${message.charAt(0).toUpperCase()}${message.slice(1)}${end}`
}
