import type { ErrorCode } from '@muster/contract/errors.ts'
import { consoleErrorCodes, ErrorBody, ValidationErrorBody } from '@muster/contract/errors.ts'
import { ServiceError } from '../../base/errors.ts'
import { errorBodyOf, statusOf } from '../errors.ts'
import type { Operation } from '../operations.ts'
import type { Lift, Schema } from './lift-schemas.ts'

type Refusal = { readonly name: string; readonly description: string; readonly codes: readonly ErrorCode[] }

/** The response components that operations name by status: what each means, and the codes it may carry. */
const refusals: Readonly<Record<number, Refusal>> = {
  401: {
    name: 'Unauthorized',
    description: 'There is no valid API key, or the feature is not available to the organization.',
    codes: ['unauthorized', 'feature_unavailable'],
  },
  403: { name: 'Forbidden', description: 'The key lacks the permission.', codes: ['permission_missing'] },
  404: { name: 'NotFound', description: 'There is no such record in the organization.', codes: ['not_found'] },
  422: {
    name: 'Unprocessable',
    description: 'The request is well-formed but not valid; `errors` says what and where.',
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
      ...(['person_provided', 'delivery_pending', 'endpoint_disabled', 'secret_overlapping'] as const),
    ],
  },
  429: {
    name: 'TooManyRequests',
    description: 'The key has used up its requests; the next ones pass after `Retry-After` seconds.',
    codes: ['rate_limited'],
  },
}

/** What can happen to any operation, told once for all of them: a generated client has code for each status of each. */
const otherRefusals: Refusal = {
  name: 'OtherError',
  description:
    'What can happen anywhere: 400 for a body that is not JSON in UTF-8, an unknown API version or a cursor of another list, 410 for version v0, 413 for a body of more than 1 MiB, 415 for another content type, charset or content coding, 500 and 503 for failures of the service.',
  codes: [
    ...(['malformed_json', 'unknown_api_version', 'bad_cursor', 'malformed_request', 'api_version_gone'] as const),
    ...(['body_too_large', 'unsupported_media_type', 'internal', 'unavailable'] as const),
  ],
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
  'Ratelimit-Reset': header('integer', 'Seconds until the count begins again.', 60),
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

const referencesTo = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const tooManyHeaders = referencesTo([...counted, 'Retry-After'])

/** References to the headers of a successful answer, which is counted only where a key was accepted. */
export const headersOf = (access: Operation['access']): Schema => referencesTo(access === 'public' ? always : counted)

/** The statuses that say something of the operation itself when it refuses a call. */
function refusalStatusesOf({ access, path, namesRecord, faultsAreMalformed }: Operation): number[] {
  const isKeyed = access !== 'public'
  const when: [status: number, applies: boolean][] = [
    [401, isKeyed],
    [403, isKeyed && access !== 'read'],
    [404, path.includes(':') || namesRecord === true],
    [422, isKeyed && !faultsAreMalformed],
    [429, isKeyed],
  ]
  return when.filter(([, applies]) => applies).map(([status]) => status)
}

/** References to the component of each refusal of an operation, by status, and to that of all others. */
export function refusalsOf(operation: Operation): Record<string, Schema> {
  const names = refusalStatusesOf(operation).map((status) => [status, refusals[status]?.name] as const)
  const all = [...names, ['default', otherRefusals.name] as const]
  return Object.fromEntries(all.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]))
}

/** The components that the operations refer to. */
export function refusalComponents(lift: Lift): Record<string, Schema> {
  const ofStatus = Object.entries(refusals).map(([status, refusal]): [string, Schema] => {
    const body = status === '422' ? ValidationErrorBody : ErrorBody
    const answer = describeRefusal(refusal, lift({ ...body }))
    return [refusal.name, status === '429' ? { ...answer, headers: tooManyHeaders } : answer]
  })
  const others = describeRefusal(otherRefusals, lift({ ...ErrorBody }))
  return Object.fromEntries([...ofStatus, [otherRefusals.name, others]])
}

// Headers that all refusals have are told in prose: a generated client has code for each of them in each operation.
function describeRefusal({ description, codes }: Refusal, schema: Schema): Schema {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]))
  return { description, content: { 'application/json': { schema, examples } } }
}

function exampleOf(code: ErrorCode) {
  const errors = code === 'invalid' ? [{ field: 'per_page', message: 'must be at most 100' }] : undefined
  return errorBodyOf(new ServiceError(code, errors && { errors }))
}

/** No operation answers these: they are for addresses with another method. */
const codesOutsideOperations: readonly ErrorCode[] = ['method_not_allowed']

/**
 * Codes of the API that the documents do not show.
 * @forTests one keeps it empty.
 */
export const undocumentedCodes = (): string[] =>
  Object.entries(statusOf).flatMap(([code, status]) => {
    const { codes } = refusals[status] ?? otherRefusals
    return [...codes, ...consoleErrorCodes, ...codesOutsideOperations].some((one) => one === code) ? [] : [code]
  })
