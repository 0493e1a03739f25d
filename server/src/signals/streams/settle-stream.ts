import type { FieldError } from '@muster/contract/errors.ts'
import { maskedHeaderValue } from '@muster/contract/masked-header-value.ts'
import { fail } from '../../base/errors.ts'
import { parseDateTime } from '../../base/lists/parse-date-time.ts'
import { faultOfChatService } from '../../base/outbound/chat-services.ts'
import { faultOfReceiverUrl, type ReceiverRules } from '../../base/outbound/receiver-url.ts'
import { isSameOrigin } from '../../base/outbound/same-origin.ts'
import { isAssigned, recordAudience, streamAddress } from './audience.ts'
import { complianceChangeType, requestedEvents } from './event-types.ts'
import type { Stream } from './queries.ts'
import { fieldsOf, readAudience, type StreamInput, withoutMask } from './stream-input.ts'

/** What can be chosen of a stream. */
export type Settings = {
  name: string
  description: string | null
  deliveryType: 'push' | 'poll'
  audience: string | null
  endpointUrl: string | null
  authorization: string | null
  /** Without the verification event. */
  events: readonly string[]
  deviceSubjectFormat: 'iss_sub' | 'opaque'
}

export type Place = {
  streamUuid: string
  baseUrl: string
  rules: ReceiverRules
  isDraft: boolean
  /** What is stored, also where everything is set again. */
  storedAuthorization: string | null
  storedEndpointUrl: string | null
}

export type Current = { stream: Stream; authorization: string | null }

const maxNameLength = 200

/**
 * What a stream becomes. Without `current` it is new or set again: what is not said has its default; else what is not
 * said stays. Refuses what makes no stream, with every fault.
 */
export function settle(asked: StreamInput, place: Place, current?: Current): Settings {
  const input = current && current.authorization !== null ? withoutMask(asked) : asked
  const deliveryType = deliveryTypeOf(input, current)
  const description = (input.description === undefined ? current?.stream.description : input.description) || null
  const name = input.name ?? current?.stream.name ?? description?.slice(0, maxNameLength) ?? place.streamUuid
  const isPushed = deliveryType === 'push'
  const endpointUrl = isPushed ? (input.endpointUrl ?? current?.stream.endpoint_url ?? null) : null
  const authorization = authorizationFor(input, place, endpointUrl, current)
  const settings = {
    name,
    description,
    deliveryType,
    endpointUrl,
    audience: audienceFor(input, endpointUrl, place, current),
    authorization,
    events: input.events ? requestedEvents(input.events) : (current?.stream.events_requested ?? [complianceChangeType]),
    deviceSubjectFormat: input.deviceSubjectFormat ?? current?.stream.device_subject_format ?? defaultFormat(place),
  }
  const errors = faultsOf(settings, input, place)
  if (errors.length > 0) fail('invalid', { errors })
  return settings
}

/** The header is a secret of the receiver: at another origin it is sent only if it is given again. */
function isElsewhere(endpointUrl: string, current: Current): boolean {
  const { endpoint_url: before } = current.stream
  return before !== null && URL.canParse(endpointUrl) && !isSameOrigin(endpointUrl, before)
}

function deliveryTypeOf(
  { form, deliveryType, endpointUrl }: StreamInput,
  current: Current | undefined,
): 'push' | 'poll' {
  if (deliveryType) return deliveryType
  if (current) return current.stream.delivery_type
  return form === 'legacy' && endpointUrl !== undefined ? 'push' : 'poll'
}

const defaultFormat = ({ isDraft }: Place): 'iss_sub' | 'opaque' => (isDraft ? 'opaque' : 'iss_sub')

/**
 * Records show it in two places and both are written: the one that differs from what is stored is what is meant. A record
 * that was read from a push stream may be sent along when the stream becomes a poll stream.
 */
function authorizationFor(
  { authorizations }: StreamInput,
  { storedAuthorization: stored }: Place,
  endpointUrl: string | null,
  current?: Current,
): string | null {
  const [changed] = authorizations.filter((value) => value !== stored)
  if (changed !== undefined) return changed
  if (endpointUrl === null) return null
  const isKept = current !== undefined && !isElsewhere(endpointUrl, current)
  return authorizations.length > 0 || isKept ? stored : null
}

/** Null: the stream's own address, which follows the service when it moves. */
function audienceFor(input: StreamInput, endpointUrl: string | null, place: Place, current?: Current): string | null {
  const { streamUuid, baseUrl } = place
  const own = streamAddress(baseUrl, streamUuid)
  if (input.audience !== undefined) return input.audience === own && endpointUrl === null ? null : input.audience
  if (current && !isAssigned(current.stream, baseUrl)) return current.stream.audience
  if (endpointUrl !== null) return endpointUrl
  if (current?.stream.delivery_type === 'poll') return current.stream.audience
  // The record of a poll stream of the draft layout shows an audience only where the standard body made it.
  return input.form === 'standard' && input.specVersion === 'draft' ? own : null
}

/** What a header can carry (RFC 9110 §5.5), without what it would lose at its ends. */
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

function faultsOf(
  settings: Settings,
  { form, endpointUrl, authorizations }: StreamInput,
  { rules, isDraft, storedAuthorization, storedEndpointUrl }: Place,
): FieldError[] {
  const fields = fieldsOf[form]
  const isPushed = settings.deliveryType === 'push'
  const url = isPushed ? endpointUrl : undefined
  const urlFault = url === undefined ? undefined : faultOfReceiverUrl(url, rules)
  const faults: [field: string, message: string | false | undefined][] = [
    [fields.name, settings.name.trim() === '' && 'must not be blank'],
    [fields.endpointUrl, isPushed && settings.endpointUrl === null && 'is required'],
    [fields.endpointUrl, urlFault && `must ${urlFault}`],
    [fields.endpointUrl, url !== undefined && url !== storedEndpointUrl && faultOfChatService(url)],
    [
      fields.audience,
      form === 'standard' && /[^\x21-\x7e]/.test(settings.audience ?? '') && 'must be ASCII without spaces',
    ],
    [fields.authorization, !isPushed && settings.authorization !== null && 'is for push streams'],
    [
      fields.authorization,
      settings.authorization !== null && !headerValue.test(settings.authorization) && 'must be a value of a header',
    ],
    [
      fields.authorization,
      settings.authorization === maskedHeaderValue && 'must have its value: only one that is there already keeps it',
    ],
    [
      fields.authorization,
      new Set(authorizations.filter((value) => value !== storedAuthorization)).size > 1 &&
        'must not differ from authorization_header',
    ],
    [
      fields.deviceSubjectFormat,
      isDraft && settings.deviceSubjectFormat !== 'opaque' && 'must be opaque for a draft stream',
    ],
  ]
  return faults.flatMap(([field, message]) => (message ? [{ field, message }] : []))
}

/** Refuses to change what belongs to the service (SSF 1.0 §8.1.1.3); what is as it is may be sent along. */
export function refuseOwned(
  body: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, unknown>>,
  stream: Stream,
  settings: Settings,
  baseUrl: string,
): void {
  const differs = (name: string) => name in body && !isSame(name, body[name], shown[name])
  const names = owned.filter(differs)
  const isConverted = settings.deliveryType !== stream.delivery_type
  const aud = readAudience(body['aud']) ?? null
  if (aud !== null && !isConverted && isAssigned(stream, baseUrl) && aud !== recordAudience(stream, baseUrl)) {
    names.push('aud')
  }
  if (typeof body['stream_id'] === 'string' && !isReferenceTo(stream, body['stream_id'])) names.push('stream_id')
  if ('delivery_type' in body && body['delivery_type'] !== settings.deliveryType) names.push('delivery_type')
  if (names.length === 0) return
  const which = names.map((name) => `\`${name}\``).join(', ')
  fail('malformed_request', { message: `The service decides on ${which}: leave it as it is, or out.` })
}

/** Programs that keep a record in types of their own lose the order of a set, and the form and milliseconds of a time. */
function isSame(name: string, given: unknown, shown: unknown): boolean {
  if (name === 'created_at' && typeof given === 'string') {
    const at = parseDateTime(given)
    const inSeconds = String(shown).replace(/\.\d{3}Z$/, '.000Z')
    return at !== undefined && (at === shown || at === inSeconds)
  }
  return textOf(given) === textOf(shown)
}

function textOf(value: unknown): string {
  const members = Array.isArray(value) ? [...new Set(value.map((one) => JSON.stringify(one)))].sort() : value
  return JSON.stringify(members)
}

const isReferenceTo = ({ id, stream_id }: Stream, text: string) => text === id || text.toLowerCase() === stream_id

const owned = [
  ...['iss', 'id', 'spec_version', 'enabled', 'events_supported', 'events_delivered', 'created_at'],
  'min_verification_interval',
]
