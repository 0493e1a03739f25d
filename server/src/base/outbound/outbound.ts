import type { Logger } from 'pino'
import type { ConnectorSettings, DialTimings } from './checked-connector.ts'
import { endingOf } from './ending.ts'
import { type Lane, openLanes } from './lanes.ts'
import { describeFault, type PostFault } from './post-fault.ts'
import { requestOnce } from './request-once.ts'

export type Post = {
  /** Passed by `faultOfReceiverUrl` when it was stored. */
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
  /** Requests of different pools never wait for each other's connections, also to one host. */
  pool?: string
  signal?: AbortSignal
}

/** In milliseconds; those of the dial are zero on a connection that was open already. */
export type PostTimings = DialTimings & { firstByteMs: number; totalMs: number }

export type Answered = {
  kind: 'answered'
  status: number
  /** In seconds or as a date, as it came. */
  retryAfter: string | undefined
  /** The beginning of the body, at most 4 KiB. */
  body: Buffer
  timings: PostTimings
}

export type Failed = {
  kind: 'failed'
  fault: PostFault
  /** For administrators; names no address. */
  message: string
  /** Whether the receiver may have it all the same. */
  mayHaveArrived: boolean
  timings: PostTimings
}

export type PostOutcome = Answered | Failed

export type OutboundSettings = Omit<ConnectorSettings, 'timeoutMs'> & {
  /** For a whole attempt, from the name to the last byte; 15 s unless told otherwise. */
  deadlineMs?: number
  /** Of connections of one pool at a time; 8 unless told otherwise. */
  lanesPerPool?: number
  /** Is told why a host was not dialed, which the outcome does not say. */
  log?: Logger
}

export type Outbound = {
  /** POSTs once: follows no redirect, repeats nothing, ends by the deadline whatever the receiver does. */
  post(post: Post): Promise<PostOutcome>
  close(): Promise<void>
}

const noDial: DialTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0 }
/** Of a host that was not dialed: how long that took would tell a name of the inner network from one that is not there. */
const noTimings: PostTimings = { ...noDial, firstByteMs: 0, totalMs: 0 }

/** The one way out to addresses that strangers gave us. */
export function openOutbound({ deadlineMs = 15_000, lanesPerPool = 8, log, ...rules }: OutboundSettings): Outbound {
  const lanes = openLanes({ ...rules, timeoutMs: deadlineMs, lanesPerPool })

  async function post(sent: Post): Promise<PostOutcome> {
    const url = new URL(sent.url)
    const { origin, pathname, search } = url
    const pool = `${sent.pool ?? ''} ${origin}`
    const ending = endingOf(sent.signal, deadlineMs)
    const startedAt = performance.now()
    let lane: Lane | undefined
    let isReusable = false
    let firstByteMs = 0
    const timings = (): PostTimings => ({
      ...(lane?.dial.timings ?? noDial),
      firstByteMs,
      totalMs: performance.now() - startedAt,
    })
    try {
      lane = await lanes.take(pool, origin, ending)
      const { headers, body: content } = sent
      const asked = { path: pathname + search, headers, body: content }
      const { status, retryAfter, body, isWhole } = await requestOnce(lane.client, asked, ending, () => {
        firstByteMs = performance.now() - startedAt
      })
      isReusable = isWhole
      return { kind: 'answered', status, retryAfter, body, timings: timings() }
    } catch (error) {
      const mayHaveArrived = lane !== undefined && !lane.dial.hasFailed
      const failure = describeFault(error, ending)
      if (failure.fault !== 'unreachable') return { kind: 'failed', ...failure, mayHaveArrived, timings: timings() }
      log?.info({ host: url.hostname, err: error }, 'A receiver was not dialed: no address of its host may be')
      return { kind: 'failed', ...failure, mayHaveArrived, timings: noTimings }
    } finally {
      ending.clear()
      if (lane) lanes.giveBack(pool, lane, isReusable)
    }
  }

  return { post, close: lanes.close }
}
