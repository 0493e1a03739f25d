import { deliveryMethods } from '@muster/contract/delivery-methods.ts'
import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { CommandError, exitCodes } from '../command-error.ts'
import { callTransmitter } from './call-transmitter.ts'

const discovered = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  configuration_endpoint: Type.String(),
  verification_endpoint: Type.String(),
})

const streamRecord = Type.Object({
  stream_id: Type.String({ minLength: 1 }),
  aud: Type.Optional(Type.Union([Type.String(), Type.Null(), Type.Array(Type.String(), { minItems: 1 })])),
  delivery: Type.Object({ method: Type.String(), endpoint_url: Type.String() }),
  poll_bearer_token: Type.Optional(Type.String()),
  /** Of Muster. */
  health: Type.Optional(Type.Object({ last_error: Type.Union([Type.String(), Type.Null()]) })),
})

const pollAnswer = Type.Object({ sets: Type.Unsafe<Record<string, unknown>>({ type: 'object' }) })

export type ReceivedStream = {
  streamId: string
  audience: string | string[]
  isPolled: boolean
  endpointUrl: string
  pollToken: string | undefined
  /** Why the latest attempt to push to it failed, where the transmitter tells. */
  trouble: string | undefined
}

type Delivery = { endpointUrl: string; authorization: string } | 'poll'
export type Settled = { ack: string[]; setErrs: Record<string, { err: string; description: string }> }
export type Poll = Partial<Settled> & { maxEvents: number }

export type Transmitter = Awaited<ReturnType<typeof discover>>

/** Finds out where a transmitter of the Shared Signals Framework takes what calls (SSF 1.0 §7.2). */
export async function discover(server: string, signal?: AbortSignal) {
  const { origin, pathname } = new URL(server)
  const place = `${origin}/.well-known/ssf-configuration${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`
  const found = readAs(discovered, await callTransmitter(place, { method: 'GET', signal }), place)
  return { issuer: found.issuer, jwksUri: found.jwks_uri, asOwner: (apiKey: string) => ownerCalls(found, apiKey) }
}

/** What needs a credential. */
function ownerCalls(found: Static<typeof discovered>, apiKey: string) {
  const { configuration_endpoint: streamsUrl, verification_endpoint: verificationUrl } = found
  const headers = { authorization: `Bearer ${apiKey}` }
  const placeOf = (streamId: string) => `${streamsUrl}?stream_id=${encodeURIComponent(streamId)}`
  const received = (answer: unknown): ReceivedStream => {
    const stream = readAs(streamRecord, answer, streamsUrl)
    return {
      streamId: stream.stream_id,
      // Polled streams of the older form show none; their tokens are for the address of the stream.
      audience: stream.aud ?? `${streamsUrl}/${stream.stream_id}`,
      isPolled: stream.delivery.method === deliveryMethods.poll,
      endpointUrl: stream.delivery.endpoint_url,
      pollToken: stream.poll_bearer_token,
      trouble: stream.health?.last_error ?? undefined,
    }
  }
  return {
    readStream: async (id: string) => received(await callTransmitter(placeOf(id), { method: 'GET', headers })),
    createStream: async (name: string, delivery: Delivery) =>
      received(
        await callTransmitter(streamsUrl, {
          method: 'POST',
          headers,
          body: { name, delivery: deliveryBody(delivery) },
        }),
      ),
    deleteStream: (id: string) => callTransmitter(placeOf(id), { method: 'DELETE', headers }),
    askVerification: (id: string, state: string) =>
      callTransmitter(verificationUrl, { method: 'POST', headers, body: { stream_id: id, state } }),
    /** Tokens by their identifiers (RFC 8936 §2.4); waits for something new unless `maxEvents` is 0. */
    async poll({ endpointUrl, pollToken }: ReceivedStream, body: Poll, signal?: AbortSignal) {
      const poll = { ...(pollToken !== undefined && { 'x-service-poll-bearer-token': pollToken }), ...headers }
      const answer = await callTransmitter(endpointUrl, { method: 'POST', headers: poll, body, signal })
      return Object.entries(readAs(pollAnswer, answer, endpointUrl).sets)
    },
  }
}

export type OwnerCalls = ReturnType<typeof ownerCalls>

const deliveryBody = (delivery: Delivery): object =>
  delivery === 'poll'
    ? { method: deliveryMethods.poll }
    : {
        method: deliveryMethods.push,
        endpoint_url: delivery.endpointUrl,
        authorization_header: delivery.authorization,
      }

function readAs<Schema extends TSchema>(schema: Schema, answer: unknown, url: string): Static<Schema> {
  if (!Check(schema, answer)) throw new CommandError(exitCodes.failure, `${url} did not answer as a transmitter does`)
  return answer
}
