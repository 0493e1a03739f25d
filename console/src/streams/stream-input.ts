import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'

const methods = { push: 'urn:ietf:rfc:8935', poll: 'urn:ietf:rfc:8936' } as const

/** What a form holds of a stream; blank where nothing is said. */
export type StreamInput = {
  readonly name: string
  readonly description: string
  readonly deliveryType: 'push' | 'poll'
  readonly url: string
  readonly authorization: string
  readonly audience: string
}

export const noInput: StreamInput = {
  name: '',
  description: '',
  deliveryType: 'push',
  url: '',
  authorization: '',
  audience: '',
}

export const wishesOf = (stream: SsfStream): StreamInput => ({
  name: stream.name,
  description: stream.description ?? '',
  deliveryType: stream.delivery_type,
  url: stream.delivery_type === 'push' ? stream.delivery.endpoint_url : '',
  authorization: stream.authorization_header ?? '',
  audience: stream.aud ?? '',
})

export const deliveryOf = ({ deliveryType, url, authorization }: StreamInput) =>
  deliveryType === 'poll'
    ? { method: methods.poll }
    : { method: methods.push, endpoint_url: url, authorization_header: authorization === '' ? null : authorization }

/** What is to be sent for a change: only what differs, since the service decides on some of it. */
export function changeOf(before: StreamInput, after: StreamInput): InputOf<'updateSsfStream'>['body'] {
  const isDelivery = (['deliveryType', 'url', 'authorization'] as const).some((name) => before[name] !== after[name])
  return {
    ...(before.name !== after.name && { name: after.name }),
    ...(before.description !== after.description && {
      description: after.description === '' ? null : after.description,
    }),
    ...(before.audience !== after.audience && { aud: after.audience }),
    ...(isDelivery && { delivery: deliveryOf(after) }),
  }
}

export const labels: Readonly<Record<keyof StreamInput, string>> = {
  name: 'name',
  description: 'description',
  deliveryType: 'delivery',
  url: 'receiver URL',
  authorization: 'authorization header',
  audience: 'audience',
}

export const isSameInput = (one: StreamInput, other: StreamInput): boolean => changesInWords(one, other) === ''

/** `2 changes: name, receiver URL`; blank without any. */
export function changesInWords(before: StreamInput, after: StreamInput): string {
  const changed = (Object.keys(labels) as (keyof StreamInput)[]).filter((name) => before[name] !== after[name])
  if (changed.length === 0) return ''
  const words = changed.map((name) => labels[name]).join(', ')
  return `${changed.length === 1 ? '1 change' : `${changed.length} changes`}: ${words}`
}
