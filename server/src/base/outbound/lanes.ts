import type { Socket } from 'node:net'
import { Client } from 'undici'
import { type ConnectorSettings, checkedConnector, type DialTimings, sharedSecureContext } from './checked-connector.ts'
import { type Ending, overError } from './ending.ts'

/** A connection that carries one request at a time, and what came of dialling for the present one. */
export type Lane = {
  readonly client: Client
  readonly dial: {
    timings: DialTimings | undefined
    hasFailed: boolean
    reading: ReturnType<typeof limitReading> | undefined
  }
}

type Pool = { idle: { lane: Lane; since: number }[]; busy: number; waiting: (() => void)[] }

const keptOpenMs = 30_000

/**
 * For one answer with all that goes with it. The body, headers and trailers are counted elsewhere, to less; hints
 * before the answer (RFC 9110 §15.2) and extensions of chunks (RFC 9112 §7.1.1) are counted by no parser.
 */
const maxReadBytes = 262_144

/** Connections to receivers: in each pool, of one origin, so many at a time, the rest wait their turn, idle ones close. */
export function openLanes(settings: ConnectorSettings & { lanesPerPool: number }) {
  const pools = new Map<string, Pool>()
  const secureContext = sharedSecureContext(settings)
  const sweeper = setInterval(closeIdle, keptOpenMs)
  sweeper.unref()

  function open(origin: string): Lane {
    const dial: Lane['dial'] = { timings: undefined, hasFailed: false, reading: undefined }
    const connect = checkedConnector({ ...settings, secureContext }, (outcome, socket) => {
      dial.timings = outcome
      dial.reading = socket && limitReading(socket)
      dial.hasFailed = outcome === undefined
    })
    const client = new Client(origin, {
      connect,
      pipelining: 1,
      keepAliveTimeout: keptOpenMs,
      keepAliveMaxTimeout: keptOpenMs,
      // One absolute deadline holds for all of it: these would not end a body that drips.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
      allowH2: false,
    })
    // Every failure reaches the request; this event repeats it.
    client.on('connectionError', () => {})
    return { client, dial }
  }

  async function take(pool: string, origin: string, ending: Ending): Promise<Lane> {
    const lanes = pools.get(pool) ?? { idle: [], busy: 0, waiting: [] }
    pools.set(pool, lanes)
    while (lanes.busy >= settings.lanesPerPool) await turnOf(lanes, ending)
    if (ending.isOver) throw overError()
    lanes.busy += 1
    const lane = lanes.idle.pop()?.lane ?? open(origin)
    lane.dial.timings = undefined
    lane.dial.hasFailed = false
    lane.dial.reading?.restart()
    return lane
  }

  /** A lane whose answer was not read to its end cannot carry another request. */
  function giveBack(pool: string, lane: Lane, isReusable: boolean): void {
    const lanes = pools.get(pool)
    if (!lanes) return
    lanes.busy -= 1
    if (isReusable) lanes.idle.push({ lane, since: performance.now() })
    else lane.client.destroy().catch(() => {})
    lanes.waiting.shift()?.()
  }

  function closeIdle(): void {
    const before = performance.now() - keptOpenMs
    for (const [pool, lanes] of pools) {
      const old = lanes.idle.filter(({ since }) => since < before)
      lanes.idle = lanes.idle.filter(({ since }) => since >= before)
      for (const { lane } of old) lane.client.close().catch(() => {})
      if (lanes.idle.length + lanes.busy + lanes.waiting.length === 0) pools.delete(pool)
    }
  }

  async function close(): Promise<void> {
    clearInterval(sweeper)
    const idle = [...pools.values()].flatMap((lanes) => lanes.idle.splice(0))
    await Promise.all(idle.map(({ lane }) => lane.client.close()))
  }

  return { take, giveBack, close }
}

function turnOf(lanes: Pool, ending: Ending): Promise<void> {
  return new Promise((resolve, reject) => {
    if (ending.isOver) return reject(overError())
    const enter = () => {
      ending.onOver = undefined
      resolve()
    }
    ending.onOver = () => {
      lanes.waiting.splice(lanes.waiting.indexOf(enter), 1)
      reject(overError())
    }
    lanes.waiting.push(enter)
  })
}

/** Breaks a connection on which more comes in for one request. */
function limitReading(socket: Socket) {
  let before = socket.bytesRead
  socket.on('readable', () => {
    if (socket.bytesRead - before > maxReadBytes) socket.destroy(new Error('The answer is too long'))
  })
  return {
    /** What comes from now on belongs to the next request. */
    restart: () => {
      before = socket.bytesRead
    },
  }
}
