import type { ErrorCode } from '@muster/contract/errors.ts'
import { consoleErrorCodes, ErrorBody, ValidationErrorBody } from '@muster/contract/errors.ts'
import { ServiceError } from '../../errors.ts'
import { errorBodyOf, statusOf } from '../errors.ts'
import type { Operation } from '../operations.ts'
import type { Lift, Schema } from './lift-schemas.ts'

/** The response component of each status, what it means, and an example of each code it may carry. */
const refusals: Readonly<Record<number, { name: string; description: string; codes: readonly ErrorCode[] }>> = {
  400: {
    name: 'BadRequest',
    description: 'The body is no JSON, the API version does not exist, or the cursor was not issued for this list.',
    codes: ['malformed_json', 'unknown_api_version', 'bad_cursor', 'malformed_request'],
  },
  401: {
    name: 'Unauthorized',
    description: 'There is no valid API key, or the feature is not available to the organization.',
    codes: ['unauthorized', 'feature_unavailable'],
  },
  403: { name: 'Forbidden', description: 'The key lacks the permission.', codes: ['permission_missing'] },
  404: { name: 'NotFound', description: 'There is no such record in the organization.', codes: ['not_found'] },
  410: { name: 'Gone', description: 'Version v0 of the API was asked for.', codes: ['api_version_gone'] },
  413: { name: 'BodyTooLarge', description: 'The body is larger than 1 MiB.', codes: ['body_too_large'] },
  415: { name: 'UnsupportedMediaType', description: 'The body is not JSON.', codes: ['unsupported_media_type'] },
  422: {
    name: 'Unprocessable',
    description: 'The request is well-formed but not acceptable; `errors` says what and where.',
    codes: [
      ...([
        'invalid',
        'search_invalid',
        'device_not_registered',
        'check_not_external',
        'check_not_refreshable',
      ] as const),
      ...(['request_decided', 'request_withdrawn', 'already_requested', 'already_registered'] as const),
      ...(['not_device_owner', 'exemptions_disallowed', 'snooze_disallowed', 'already_snoozed'] as const),
      ...(['delivery_pending', 'endpoint_disabled', 'secret_overlapping'] as const),
    ],
  },
  429: {
    name: 'TooManyRequests',
    description: 'The key has used up its requests; the next ones pass after `Retry-After` seconds.',
    codes: ['rate_limited'],
  },
  500: { name: 'InternalError', description: 'Something went wrong in the service.', codes: ['internal'] },
  503: { name: 'Unavailable', description: 'The service cannot answer at the moment.', codes: ['unavailable'] },
}

const header = (type: string, description: string, example: unknown): Schema => ({
  description,
  schema: { type },
  example,
})

export const headers: Readonly<Record<string, Schema>> = {
  'X-Request-Id': header(
    'string',
    'Names the request in the log of the service.',
    '0197a3c4-5b0e-7c52-8f43-2f6a1f0c9d11',
  ),
  'RateLimit-Limit': header('integer', 'How many requests the key may make in a minute.', 270),
  'Ratelimit-Remaining': header('integer', 'How many of them are left until the reset.', 269),
  'Ratelimit-Reset': header('integer', 'Seconds until the count begins anew.', 60),
  'RateLimit-Policy': header('string', 'The limit and its window in seconds.', '270;w=60'),
  'Retry-After': header('integer', 'Seconds until a request passes again; the same as the reset.', 17),
}

/** Of answers that are files. */
export const fileHeaders: Readonly<Record<string, Schema>> = {
  'Content-Disposition': header('string', 'Tells the name of the file.', 'attachment; filename="install.sh"'),
  'Content-Length': header('integer', 'The bytes of the file.', 4711),
  ETag: header('string', 'SHA-256 of the file, in hexadecimal and quotes.', `"${'0f'.repeat(32)}"`),
}

const always = ['X-Request-Id']
const counted = [...always, 'RateLimit-Limit', 'Ratelimit-Remaining', 'Ratelimit-Reset', 'RateLimit-Policy']

/** References to the headers of an answer, which are counted only where a key was accepted. */
export function headersOf(access: Operation['access'], status = 200): Schema {
  const names = access === 'public' || status === 401 ? always : counted
  const all = status === 429 ? [...names, 'Retry-After'] : names
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Every status that a call of the operation may be refused with. */
export function refusalStatusesOf({
  access,
  path,
  body,
  query,
  method,
  namesRecord,
  faultsAreMalformed,
}: Operation): number[] {
  const isKeyed = access !== 'public'
  const when: [status: number, applies: boolean][] = [
    [400, true],
    [401, isKeyed],
    [403, isKeyed && access !== 'read'],
    [404, path.includes(':') || namesRecord === true],
    [410, true],
    [413, body !== undefined],
    [415, body !== undefined],
    [422, !faultsAreMalformed && (body !== undefined || query !== undefined || method !== 'GET')],
    [429, isKeyed],
    [500, true],
    [503, true],
  ]
  return when.filter(([, applies]) => applies).map(([status]) => status)
}

export const refusalName = (status: number): string => refusals[status]?.name ?? 'InternalError'

/** The components that the operations refer to, one for each status. */
export function refusalComponents(lift: Lift): Record<string, Schema> {
  const components = Object.entries(refusals).map(([status, { name, description, codes }]) => {
    const schema = lift(status === '422' ? { ...ValidationErrorBody } : { ...ErrorBody })
    const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]))
    const answer = {
      description,
      headers: headersOf('read', Number(status)),
      content: { 'application/json': { schema, examples } },
    }
    return [name, answer] as const
  })
  return Object.fromEntries(components)
}

function exampleOf(code: ErrorCode) {
  const errors = code === 'invalid' ? [{ field: 'per_page', message: 'must be at most 100' }] : undefined
  return errorBodyOf(new ServiceError(code, errors && { errors }))
}

/** Codes of the API that no status of the documents shows; a test keeps it empty. */
export const undocumentedCodes = (): string[] =>
  Object.entries(statusOf).flatMap(([code, status]) =>
    [...(refusals[status]?.codes ?? []), ...consoleErrorCodes].some((one) => one === code) ? [] : [code],
  )
