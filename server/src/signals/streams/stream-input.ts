import { deliveryMethods } from '@muster/contract/delivery-methods.ts'
import { maskedHeaderValue } from '@muster/contract/masked-header-value.ts'
import type { SsfStreamCreation } from '@muster/contract/ssf-streams.ts'

/** What a body asks for, whichever its form. What is undefined was not said. */
export type StreamInput = {
  form: 'standard' | 'legacy'
  name: string | undefined
  description: string | null | undefined
  audience: string | undefined
  deliveryType: 'push' | 'poll' | undefined
  endpointUrl: string | undefined
  /** What each place of the body says of it; none where it was not said. */
  authorizations: readonly (string | null)[]
  specVersion: 'v1_0' | 'draft' | undefined
  events: readonly string[] | undefined
  deviceSubjectFormat: 'iss_sub' | 'opaque' | undefined
}

/** Where the members of a form stand in the body, for telling what is wrong with them. */
export const fieldsOf = {
  standard: {
    name: 'name',
    audience: 'aud',
    endpointUrl: 'delivery/endpoint_url',
    authorization: 'delivery/authorization_header',
    deviceSubjectFormat: 'device_subject_format',
  },
  legacy: {
    name: 'ssf_stream/name',
    audience: 'ssf_stream/aud',
    endpointUrl: 'ssf_stream/aud',
    authorization: 'ssf_stream/authorization_header',
    deviceSubjectFormat: 'device_subject_format',
  },
} as const

export function readStreamInput(body: SsfStreamCreation): StreamInput {
  const { ssf_stream: legacy, delivery } = body
  if (legacy) {
    return {
      form: 'legacy',
      name: legacy.name,
      description: legacy.description,
      audience: undefined,
      deliveryType: legacy.delivery_type,
      endpointUrl: legacy.aud ?? undefined,
      authorizations: said(legacy.authorization_header),
      specVersion: 'draft',
      events: legacy.event_subscriptions,
      deviceSubjectFormat: undefined,
    }
  }
  return {
    form: 'standard',
    name: body.name,
    description: body.description,
    audience: readAudience(body.aud) ?? undefined,
    deliveryType: delivery && (delivery.method === deliveryMethods.push ? 'push' : 'poll'),
    endpointUrl: delivery?.endpoint_url ?? undefined,
    authorizations: said(delivery?.authorization_header, body.authorization_header),
    specVersion: body.spec_version,
    events: body.events_requested,
    deviceSubjectFormat: body.device_subject_format,
  }
}

/** A list of one audience is that audience (RFC 7519 §4.1.3). */
export const readAudience = <Value>(aud: Value | readonly Value[]): Value | undefined =>
  Array.isArray(aud) ? aud[0] : (aud as Value)

const said = (...values: (string | null | undefined)[]): (string | null)[] =>
  values.filter((value) => value !== undefined)

/** The mask that stands for a value in answers says nothing when it comes back. */
export const withoutMask = (input: StreamInput): StreamInput => ({
  ...input,
  authorizations: input.authorizations.filter((value) => value !== maskedHeaderValue),
})
