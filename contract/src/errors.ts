import Type, { type Static } from 'typebox'
import { Choice, Text } from './schema-kit.ts'

const errorCodes = [
  // 400
  'malformed_request',
  'malformed_json',
  'unknown_api_version',
  'bad_cursor',
  // 401
  'unauthorized',
  'feature_unavailable',
  // 403
  'permission_missing',
  // 404, 405, 410, 413, 415
  'not_found',
  'method_not_allowed',
  'api_version_gone',
  'body_too_large',
  'unsupported_media_type',
  // 422
  'invalid',
  'search_invalid',
  'device_not_registered',
  'check_not_external',
  'check_not_refreshable',
  'request_decided',
  'request_withdrawn',
  'already_requested',
  'already_registered',
  'not_device_owner',
  'exemptions_disallowed',
  'snooze_disallowed',
  'already_snoozed',
  'person_provided',
  'delivery_pending',
  'endpoint_disabled',
  'secret_overlapping',
  // 429, 500, 503
  'rate_limited',
  'internal',
  'unavailable',
] as const

/** Only routes of sessions answer these. */
export const consoleErrorCodes = [
  // 401
  'not_signed_in',
  'sign_in_failed',
  'code_needed',
  // 403
  'step_up_needed',
  'second_factor_needed',
  'administrator_deprovisioned',
  'cross_site',
  // 410
  'link_ended',
  // 422
  'preview_outdated',
] as const

export type ErrorCode = (typeof errorCodes)[number] | (typeof consoleErrorCodes)[number]

const shared = {
  error: Choice(errorCodes, 'What went wrong, as a code that programs may rely on.'),
  message: Text('What went wrong, as a sentence for people; its wording may change.'),
}

export const FieldError = Type.Object(
  {
    field: Text(
      'Path of the member or name of the parameter, such as `device_ids/0` or `per_page`; blank for the whole.',
    ),
    message: Text('What is wrong with it, as a sentence for people.'),
  },
  {
    title: 'FieldError',
    description: 'One error in a request, and where it is.',
    examples: [{ field: 'per_page', message: 'must be at most 100' }],
  },
)
export type FieldError = Static<typeof FieldError>

export const ErrorBody = Type.Object(shared, {
  title: 'Error',
  description: 'Why a request was refused or failed.',
  examples: [{ error: 'permission_missing', message: 'This key lacks the permission Remove Devices.' }],
})
export type ErrorBody = Static<typeof ErrorBody>

/** The body of every 422. */
export const ValidationErrorBody = Type.Object(
  {
    ...shared,
    errors: Type.Array(FieldError, { description: 'Every error found; at least one.', minItems: 1 }),
  },
  {
    title: 'ValidationError',
    description: 'Why a well-formed request is not valid.',
    examples: [
      {
        error: 'invalid',
        message: 'per_page must be at most 100.',
        errors: [{ field: 'per_page', message: 'must be at most 100' }],
      },
    ],
  },
)
export type ValidationErrorBody = Static<typeof ValidationErrorBody>
