import { type Dispatcher, Pool } from 'undici'

/** Why no answer came, as counted: the socket broke twice, the peer was silent, or no connection could be made. */
export type TransportFault = 'timeout' | 'reset' | 'connect' | 'certificate' | 'other'

export type TransportOutcome =
  | { answered: true; status: number; text: string; elapsedMs: number }
  | { answered: false; fault: TransportFault; elapsedMs: number }

export type AgentCall = {
  readonly device: number
  readonly path: string
  readonly body: string
  readonly nodeKey: string
}

export type AgentTransport = {
  /** POSTs JSON as osquery does; an empty key sends no Authorization header. Calls back exactly once. */
  post: (call: AgentCall, done: (outcome: TransportOutcome) => void) => void
  connectionsOpened: () => number
  resent: () => number
  close: () => Promise<void>
}

export type TransportOptions = {
  server: string
  ca?: string
  /** How many all devices share, or one of its own for each. */
  connections: number | 'own'
  userAgent: string
  /** Called once, when no connection could be made for the first time. */
  onUnreachable: (why: string) => void
}

/** osquery gives up on a network operation after 16 s. */
const timeoutMs = 16_000

export function createAgentTransport(options: TransportOptions): AgentTransport {
  const pools = new Map<number, Pool>()
  let connectionsOpened = 0
  let resent = 0
  let isTold = false
  const tell = (why: string) => {
    if (!isTold) options.onUnreachable(why)
    isTold = true
  }
  function openPool(connections: number): Pool {
    const pool = new Pool(new URL(options.server).origin, {
      connections,
      pipelining: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: 60_000,
      connect: { timeout: timeoutMs, ...(options.ca === undefined ? {} : { ca: options.ca }) },
    })
    return pool.on('connect', () => {
      connectionsOpened += 1
    })
  }
  /** A device's own, or the one that all share. */
  function poolOf(device: number): Pool {
    const [place, connections] = options.connections === 'own' ? [device, 1] : [0, options.connections]
    const pool = pools.get(place) ?? openPool(connections)
    pools.set(place, pool)
    return pool
  }
  const common = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', options.userAgent]

  function send(
    pool: Pool,
    request: Dispatcher.DispatchOptions,
    sentAt: number,
    isRepeat: boolean,
    done: (outcome: TransportOutcome) => void,
  ) {
    pool.dispatch(
      request,
      answerHandler(sentAt, tell, (outcome) => {
        // osquery itself sends once more when a kept-alive connection breaks under a request.
        if (outcome.answered || outcome.fault !== 'reset' || isRepeat) done(outcome)
        else {
          resent += 1
          send(pool, request, sentAt, true, done)
        }
      }),
    )
  }

  return {
    post({ device, path, body, nodeKey }, done) {
      const headers = nodeKey === '' ? common : [...common, 'authorization', `NodeKey ${nodeKey}`]
      send(poolOf(device), { path, method: 'POST', headers, body }, performance.now(), false, done)
    },
    connectionsOpened: () => connectionsOpened,
    resent: () => resent,
    async close() {
      await Promise.all(Array.from(pools.values(), (pool) => pool.destroy()))
    },
  }
}

function answerHandler(
  sentAt: number,
  tell: (why: string) => void,
  done: (outcome: TransportOutcome) => void,
): Dispatcher.DispatchHandler {
  let status = 0
  let text = ''
  let chunks: Buffer[] | undefined
  return {
    onRequestStart() {},
    onResponseStart(_controller, statusCode) {
      status = statusCode
    },
    onResponseData(_controller, chunk) {
      // Nearly every answer is one chunk; only longer ones pay for joining (a character may straddle two chunks).
      chunks = chunks ? [...chunks, chunk] : [chunk]
    },
    onResponseEnd() {
      if (chunks) text = (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString('utf8')
      done({ answered: true, status, text, elapsedMs: performance.now() - sentAt })
    },
    onResponseError(_controller, error) {
      const fault = faultOf(error)
      if (fault === 'connect' || fault === 'certificate') tell(whyOf(error))
      done({ answered: false, fault, elapsedMs: performance.now() - sentAt })
    },
  }
}

/** Where a name has several addresses, each has a fault of its own. */
const whyOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join('; ') : error.message

function faultOf(error: Error): TransportFault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout'
  if (/^UND_ERR_SOCKET$|ECONNRESET|EPIPE/.test(code)) return 'reset'
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EMFILE|EADDRNOTAVAIL/.test(code)) return 'connect'
  if (/CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return 'certificate'
  return 'other'
}
