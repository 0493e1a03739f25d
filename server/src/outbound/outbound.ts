import type { Logger } from 'pino'
import type { ConnectorSettings, DialTimings } from './checked-connector.ts'
import { type Lane, openLanes } from './lanes.ts'
import { describeFault, type PostFault } from './post-fault.ts'

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

const readBytes = 65_536
const keptBytes = 4_096
const noDial: DialTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0 }
/** Of a host that was not dialed: how long that took would tell a name of the inner network from one that is not there. */
const noTimings: PostTimings = { ...noDial, firstByteMs: 0, totalMs: 0 }

/** The one way out to addresses that strangers gave us. */
export function openOutbound({ deadlineMs = 15_000, lanesPerPool = 8, log, ...rules }: OutboundSettings): Outbound {
  const lanes = openLanes({ ...rules, timeoutMs: deadlineMs, lanesPerPool })

  async function post(sent: Post): Promise<PostOutcome> {
    const url = new URL(sent.url)
    const { origin } = url
    const pool = `${sent.pool ?? ''} ${origin}`
    const ending = endOf(sent.signal, deadlineMs)
    const { signal } = ending
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
      lane = await lanes.take(pool, origin, signal)
      const response = await request(lane, url, sent, signal)
      firstByteMs = performance.now() - startedAt
      const { body, isWhole } = await readBeginning(response.body)
      isReusable = isWhole
      const retryAfter = headerOf(response.headers, 'retry-after')
      return { kind: 'answered', status: response.statusCode, retryAfter, body, timings: timings() }
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

/** The deadline and the caller's signal in one; cheaper by far than signals made of signals. */
function endOf(caller: AbortSignal | undefined, deadlineMs: number) {
  const controller = new AbortController()
  const { signal } = controller
  const end = { signal, isLate: false, clear }
  const giveUp = () => controller.abort()
  const timer = setTimeout(() => {
    end.isLate = true
    giveUp()
  }, deadlineMs)
  if (caller?.aborted) giveUp()
  caller?.addEventListener('abort', giveUp)
  function clear(): void {
    clearTimeout(timer)
    caller?.removeEventListener('abort', giveUp)
  }
  return end
}

function request(lane: Lane, { pathname, search }: URL, { headers, body }: Post, signal: AbortSignal) {
  return lane.client.request({ method: 'POST', path: pathname + search, headers, body, signal })
}

/** What is beyond 64 KiB is not read, which costs the connection. */
async function readBeginning(stream: AsyncIterable<Buffer>): Promise<{ body: Buffer; isWhole: boolean }> {
  const kept: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    if (length < keptBytes) kept.push(chunk.subarray(0, keptBytes - length))
    length += chunk.length
    if (length > readBytes) return { body: Buffer.concat(kept), isWhole: false }
  }
  return { body: Buffer.concat(kept), isWhole: true }
}

function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
