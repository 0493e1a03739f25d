import { receiverOperations } from '@muster/contract/operations/stream-receivers.ts'
import type { SsfPoll, SsfPollAnswer } from '@muster/contract/ssf-polls.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../../base/errors.ts'
import { bearerTokenOf } from '../../../http/authenticate.ts'
import { type Call, endpoint } from '../../../http/endpoint.ts'
import { pollTokenHash } from '../poll-tokens.ts'
import type { StreamParts } from '../start-streams.ts'
import { acknowledge } from './acknowledge.ts'
import { findPolledStream, type PolledStream } from './find-polled-stream.ts'
import { enterHold } from './holds.ts'
import { pollTokenBearer } from './poll-token-bearer.ts'
import { takeSets } from './take-sets.ts'

const path = '/ssf_streams/:stream_id/events'

const defaultMost = 100
const maxAtOnce = 1_000

type PollCall = Call<unknown, unknown, typeof path>

/** Delivery by polling (RFC 8936). */
export function pollRoutes(app: FastifyInstance, parts: StreamParts): void {
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  const headerNames = ['x-service-poll-bearer-token', ...app.kit.config.pollTokenHeaderAliases]
  const { db, secrets, clock } = app.kit
  const routeToken = pollTokenBearer({ db, secrets, clock })

  /** The poll token of a request: its only credential, or the second one beside a key. */
  function pollTokenOf({ credential, headers }: PollCall): string | undefined {
    if (credential === 'route_token') return bearerTokenOf(headers.authorization)
    return headerNames.map((name) => headers[name]).find((value) => typeof value === 'string')
  }

  async function admit(call: PollCall): Promise<PolledStream> {
    const { organizationId, params, now } = call
    const token = pollTokenOf(call)
    const tokenHash = token === undefined ? undefined : pollTokenHash(secrets, token)
    const stream = orNotFound(await findPolledStream(db, organizationId, params.stream_id, { tokenHash, now }))
    if (stream.deliveryType === 'push') {
      fail('malformed_request', { message: 'This stream is pushed to its receiver; it cannot be polled.' })
    }
    if (!isAdmitted(stream, call, token)) fail('unauthorized', { message: refusalOf(stream, token !== undefined) })
    return stream
  }

  async function poll(call: PollCall, asked: SsfPoll): Promise<SsfPollAnswer> {
    const { organizationId } = call
    const stream = await admit(call)
    const polled = { organizationId, streamId: stream.id }
    if (asked.ack || asked.setErrs) await acknowledge(call.db, { ...polled, now: call.now }, asked)
    if (isOnlyAcknowledging(asked)) return { sets: {} }
    const most = Math.min(asked.maxEvents ?? defaultMost, maxAtOnce)
    const answer = await takeSets(parts.issuer, polled, most)
    if (asked.returnImmediately || Object.keys(answer.sets).length > 0) return answer
    const leave = await enterHold(call.db, polled, parts.pollHoldMs)
    if (!leave) return answer
    try {
      return await hold(call, polled, most)
    } finally {
      // The answer matters more than the place, which expires anyway.
      await leave().catch((error: unknown) =>
        app.kit.log.warn({ err: error }, 'Could not release a held poll; it expires later'),
      )
    }
  }

  /** Looks, and looks again at whatever is new for the organization, until there is something or the time is over. */
  async function hold(call: PollCall, polled: { organizationId: string; streamId: string }, most: number) {
    const isOver = AbortSignal.any([call.abandoned(), stopping.signal, AbortSignal.timeout(parts.pollHoldMs)])
    for (;;) {
      const looking = new AbortController()
      // It listens before it reads, so that nothing is missed in between.
      const news = parts.signals.wait(polled.organizationId, AbortSignal.any([isOver, looking.signal]))
      const answer = await look(call, polled, most).catch((error: unknown) => {
        looking.abort()
        throw error
      })
      if (Object.keys(answer.sets).length > 0 || isOver.aborted) {
        looking.abort()
        return answer
      }
      if (!(await news)) return { sets: {} }
    }
  }

  /** The token may have been revoked, and the stream deleted, since the caller was admitted. */
  async function look(call: PollCall, polled: { organizationId: string; streamId: string }, most: number) {
    await admit({ ...call, now: clock() })
    return takeSets(parts.issuer, polled, most)
  }

  endpoint(app, {
    ...receiverOperations.pollSsfStream,
    headers: { 'cache-control': 'no-store' },
    routeToken,
    run: (call) => poll(call, { returnImmediately: true }),
  })

  endpoint(app, {
    ...receiverOperations.pollOrAcknowledgeSsfStream,
    headers: { 'cache-control': 'no-store' },
    routeToken,
    run: (call) => poll(call, call.body),
  })
}

/** Access tokens stand for the key that created the stream; a stream whose tokens are disabled refuses them as well. */
function isAdmitted(stream: PolledStream, { credential, keyId }: PollCall, token: string | undefined): boolean {
  if (stream.needsNoPollToken || token !== undefined) return stream.needsNoPollToken || stream.isTokenValid
  return credential === 'access_token' && stream.hasToken && stream.createdByKeyId === keyId
}

const isOnlyAcknowledging = ({ ack, setErrs, maxEvents, returnImmediately }: SsfPoll): boolean =>
  maxEvents === 0 || ((ack ?? setErrs) !== undefined && maxEvents === undefined && returnImmediately === undefined)

function refusalOf({ hasToken }: PolledStream, isSent: boolean): string {
  if (!hasToken) return 'Polling of this stream is disabled: rotate its poll token to enable it.'
  return isSent
    ? 'The poll token is not valid for this stream.'
    : 'The poll token of the stream is needed: send it as X-Service-Poll-Bearer-Token beside the API key, or alone as Authorization: Bearer.'
}
