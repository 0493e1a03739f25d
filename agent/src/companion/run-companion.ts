import { hostname } from 'node:os'
import { standInVersion } from '../linux/agent-itself.ts'
import { messageOf } from '../protocol/agent-state.ts'
import { openTransport, type Transport } from '../protocol/open-transport.ts'
import { backOffMs } from '../protocol/pauses.ts'
import type { QueryAnswer } from '../sql/open-engine.ts'
import { type CheckInAnswer, trustOf } from './check-in-answer.ts'
import { clockWarnings } from './clock-warnings.ts'
import { type CompanionState, isNews, writeState } from './companion-state.ts'
import { type KeptLoopback, keepLoopback } from './keep-loopback.ts'
import { linkPlacer } from './link-file.ts'
import { noticeSleep } from './notice-sleep.ts'
import { newState, openState } from './open-state.ts'
import { prover } from './prove.ts'
import { restBetweenCheckIns } from './rest-between-check-ins.ts'
import { type Operation, signedRequests } from './signed-requests.ts'
import { whoAsks } from './who-asks.ts'

export type CompanionOptions = {
  /** https://host[:port][/path]; http only to this machine. */
  server: string
  enrollSecret: string
  /** PEM certificates to trust instead of the system's. */
  caFile?: string
  /** Where the key is kept (mode 0600). */
  stateFile: string
  hardware: () => Promise<{ uuid: string; serial: string }>
  /** The node key of the agent that runs this companion in its process; undefined beside osqueryd. */
  nodeKey?: () => string | undefined
  /** Where the file for the osquery node goes. */
  linkFolder: string
  /** What lets pages reach it; it listens on 127.0.0.1 when not given. */
  keepLoopback?: typeof keepLoopback
  /** Answers SQL from this machine; undefined where it is left to the osquery node. */
  run: (sql: string) => Promise<QueryAnswer | undefined>
  /** Makes a key in place of the one that is kept, which signs for it. */
  isNewKeyWanted?: boolean
  /** The length of a second in pauses; 1000 but in tests. */
  secondMs?: number
  log: (line: string) => void
  signal: AbortSignal
}

const answerTimeoutMs = 45_000
const waitSeconds = 25
const maxPauseSeconds = 600
/** Between a check-in that the server has held and the next. */
const soonSeconds = 0.2
/** Whoever is to come sooner than this waits for its link or contends for its key: it is answered at once, however long it would wait. */
const leastIdleSeconds = 60
/** The server has forgotten the key, or is known by another address. */
const toEnrollAgain = new Set(['unknown_key', 'invalid_signature'])

/** Runs a companion (docs/companion-protocol.md) until `signal` aborts; then it resolves. Rejects on a bad address or file. */
export async function runCompanion(options: CompanionOptions): Promise<void> {
  const transport = await openTransport({ ...options, timeoutMs: answerTimeoutMs })
  const companion = newCompanion(options, transport, await stateOf(options))
  try {
    await companion.checkInLoop()
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    await companion.close()
    await transport.close()
  }
}

async function stateOf({ stateFile, server, isNewKeyWanted = false }: CompanionOptions): Promise<CompanionState> {
  const state = await openState(stateFile, server)
  // A key that the server has never heard of needs no successor.
  return isNewKeyWanted && state.trust !== undefined ? newState(stateFile, server, state) : state
}

class Refused extends Error {
  readonly code: string | undefined
  constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
  }
}

function newCompanion(options: CompanionOptions, transport: Transport, opened: CompanionState) {
  const { log, signal, secondMs = 1000, keepLoopback: keepPort = keepLoopback } = options
  let state = opened
  let written = opened
  let loopback: KeptLoopback | undefined
  /** Undefined until a check-in said what came of trying the ports. */
  let toldPort: number | null | undefined
  let isEnrolled = opened.trust !== undefined
  let isAskedForNodeKey = false
  let isStart = true
  const rest = restBetweenCheckIns(signal)
  const post = signedRequests(transport)
  const proofs = prover(rest.askNow)
  const warnOfClock = clockWarnings(log)
  const placeLink = linkPlacer(options.linkFolder, log)
  const asking = whoAsks(process.platform, options.run)

  async function call(operation: Operation, fields: Record<string, unknown>) {
    // The server has answered a request long ago that the device slept through.
    const outcome = await noticeSleep(post(state, operation, fields), { onWake: transport.renewConnections })
    if (outcome.kind === 'accepted') return outcome.body
    throw new Refused(outcome.message, outcome.kind === 'refused' ? outcome.code : undefined)
  }

  async function enroll(): Promise<CheckInAnswer> {
    const { uuid, serial } = await options.hardware()
    const nodeKey = options.nodeKey?.()
    const facts = { hardware_uuid: uuid, hardware_serial: serial, hostname: hostname(), platform: process.platform }
    const answer = await call('enroll', {
      enroll_secret: options.enrollSecret,
      ...facts,
      agent_version: standInVersion,
      is_bundled: options.nodeKey !== undefined,
      ...(nodeKey !== undefined && { node_key: nodeKey }),
      ...(state.replaces !== undefined && { replaces: state.replaces }),
    })
    isEnrolled = true
    log('companion: enrolled')
    return answer as CheckInAnswer
  }

  async function checkIn(): Promise<CheckInAnswer> {
    const nodeKey = isAskedForNodeKey ? options.nodeKey?.() : undefined
    toldPort = loopback?.port
    const answer = await call('check_in', {
      agent_version: standInVersion,
      port: toldPort ?? null,
      taken_ports: loopback?.takenPorts ?? [],
      wait_seconds: rest.isAwake() ? waitSeconds : 0,
      epoch: state.trust?.epoch ?? null,
      is_start: isStart,
      ...(nodeKey !== undefined && { node_key: nodeKey }),
    })
    isStart = false
    return answer as CheckInAnswer
  }

  /** Takes in an answer; returns after how many seconds the next check-in is due. */
  async function take(answer: CheckInAnswer): Promise<number> {
    const trust = trustOf(answer)
    warnOfClock(Date.parse(answer.server_time) - Date.now())
    const isVouchDone = state.replaces !== undefined && answer.status !== 'linking'
    const { port = null, takenPorts = [] } = loopback ?? {}
    const checkedIn = { at: answer.server_time, status: answer.status, port, takenPorts }
    // On disk before its first use: a key with a spent epoch is taken for a copy.
    const next = { ...state, trust, checkedIn, ...(isVouchDone && { replaces: undefined }) }
    if (isVouchDone || isNews(written, next)) {
      await writeState(options.stateFile, next)
      written = next
    }
    state = next
    isAskedForNodeKey = answer.link?.by === 'node_key'
    await placeLink(answer.link?.by === 'file' ? answer.link.name : null)
    const parts = { origin: () => state.trust?.origin, prove, wake: rest.wake, whoAsks: asking }
    const ports = () => state.trust?.ports ?? []
    loopback ??= await keepPort(ports, parts, { secondMs, onChange: rest.tellNow })
    for (const query of answer.queries) await report(query)
    const hasTried = loopback.port !== null || loopback.takenPorts.length > 0
    const isUntold = hasTried && loopback.port !== toldPort
    const seconds = answer.queries.length > 0 || isUntold ? 0 : answer.next_check_in_seconds
    // A server that answers at once instead of waiting is not asked all the time.
    return rest.isAwake() && isHeldNext(answer) ? soonSeconds : seconds
  }

  const prove = (input: Parameters<typeof proofs>[1]) => proofs(state, input)

  async function report({ name, sql }: { name: string; sql: string }): Promise<void> {
    const answer = await options.run(sql)
    if (answer)
      await call('results', { results: [answer.ok ? { name, rows: answer.rows } : { name, error: answer.message }] })
  }

  async function heed({ code = '' }: Refused): Promise<void> {
    if (toEnrollAgain.has(code)) isEnrolled = false
    // Another organization of the server has it: to this one the machine is a new one.
    if (code === 'key_in_use') state = await newState(options.stateFile, options.server)
  }

  async function checkInLoop(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const seconds = await take(isEnrolled ? await checkIn() : await enroll())
        failures = 0
        await rest.pause(seconds * secondMs)
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        if (error instanceof Refused) await heed(error)
        log(`companion: ${messageOf(error)}`)
        await rest.pause(backOffMs(failures + 1, maxPauseSeconds, secondMs))
      }
    }
  }

  return {
    checkInLoop,
    close: async () => {
      await loopback?.close()
      await placeLink(null)
    },
  }
}

/** Whether the server holds the next check-in of a companion that it has answered so. */
const isHeldNext = ({ status, next_check_in_seconds: seconds }: CheckInAnswer): boolean =>
  status !== 'linking' && seconds >= leastIdleSeconds
