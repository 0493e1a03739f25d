import { linkFolder } from './companion/link-file.ts'
import { readHardware } from './companion/read-hardware.ts'
import { type CompanionOptions, runCompanion } from './companion/run-companion.ts'
import { type AgentState, type Intervals, messageOf, newAgentFacts } from './protocol/agent-state.ts'
import { configLoop, refreshConfig } from './protocol/config-loop.ts'
import type { PendingAnswers } from './protocol/distributed.ts'
import { distributedLoop, pollDistributed } from './protocol/distributed-loop.ts'
import { enrollBody } from './protocol/enroll-body.ts'
import { makeLogBuffer } from './protocol/log-buffer.ts'
import { loggerLoop } from './protocol/logger-loop.ts'
import { openSession } from './protocol/open-session.ts'
import { openTransport, type Transport } from './protocol/open-transport.ts'
import { readConfig } from './protocol/read-config.ts'
import { scheduleLoop } from './protocol/schedule-loop.ts'
import { findOsqueryi, osqueryiRunner } from './sql/osqueryi-runner.ts'
import type { QueryRunner } from './sql/query-runner.ts'
import { startWorkerRunner } from './sql/start-worker-runner.ts'
import type { AgentFacts } from './tables/table.ts'

export type AgentOptions = {
  /** https://host[:port][/path]; http only to this machine. */
  server: string
  enrollSecret: string
  /** PEM certificates to trust instead of the system's. */
  caFile?: string
  /** Where the node key is kept (mode 0600); without it every start enrolls again. */
  stateFile?: string
  /** Enroll if needed, read one config, answer one distributed read, and end; rejects when any of it fails. */
  once?: boolean
  intervals?: Intervals
  /** What answers SQL: this machine when not given. */
  runner?: QueryRunner
  /** What runs the companion; it runs as long as the agent when not given. */
  companion?: (options: CompanionOptions) => Promise<void>
  log: (line: string) => void
  signal: AbortSignal
}

/** Attempts at enrollment when the agent runs once; one that stays tries for ever. */
const onceEnrollAttempts = 3

/**
 * Runs the agent until `signal` aborts (then it resolves), or once.
 * Rejects at once on a bad address, an unreadable CA or state file, and where nothing can answer SQL.
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  // Closing the connections also ends a request that waits for its answer when the agent stops.
  const transport = await openTransport(options)
  const runner = options.runner ?? openRunner(process.platform)
  try {
    await runWith(options, transport, runner)
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    await runner.close()
    await transport.close()
  }
}

/** The own tables on Linux, an installed osqueryi on macOS and Windows. */
function openRunner(platform: NodeJS.Platform): QueryRunner {
  if (platform === 'linux') return startWorkerRunner()
  const path = findOsqueryi(platform)
  if (!path) throw new Error('osquery is not installed; on macOS and Windows this agent asks osqueryi')
  return osqueryiRunner(path)
}

async function runWith(options: AgentOptions, transport: Transport, runner: QueryRunner): Promise<void> {
  const state = await startState(options, transport, runner)
  const pending: PendingAnswers = new Map()
  if (options.once) {
    await refreshConfig(state)
    await pollDistributed(state, pending)
    return
  }
  await refreshConfig(state).catch((error: unknown) => noteFailure(state, 'config', error))
  const first = await pollDistributed(state, pending).catch((error: unknown) => {
    noteFailure(state, 'distributed', error)
    return 0
  })
  await Promise.all([
    ...[configLoop(state), distributedLoop(state, pending, first), scheduleLoop(state), loggerLoop(state)],
    companionLoop(options, state),
  ])
}

/** Its companion in the same process: which device the browser runs on, and checks while somebody waits. */
async function companionLoop(options: AgentOptions, state: AgentState): Promise<void> {
  const { enrollSecret, log, server, signal, stateFile } = options
  if (stateFile === undefined) return
  const { facts, runner, secondMs, session } = state
  const run = options.companion ?? runCompanion
  await run({
    ...{ server, enrollSecret, log, signal, secondMs, nodeKey: session.nodeKey },
    ...(options.caFile !== undefined && { caFile: options.caFile }),
    stateFile: `${stateFile}.companion`,
    linkFolder: linkFolder(process.platform),
    hardware: () => readHardware((sql) => runner.run(sql, facts)),
    run: (sql) => runner.run(sql, facts),
  }).catch((error: unknown) => noteFailure(state, 'companion', error))
}

function noteFailure(state: AgentState, what: string, error: unknown): void {
  if (!state.signal.aborted) state.log(`${what}: ${messageOf(error)}`)
}

async function startState(options: AgentOptions, transport: Transport, runner: QueryRunner): Promise<AgentState> {
  const facts = newAgentFacts()
  const secondMs = options.intervals?.secondMs ?? 1000
  const hostIdentifier = await readHostIdentifier(runner, facts)
  const session = await openSession({
    server: options.server,
    transport,
    stateFile: options.stateFile,
    enrollBody: () => enrollBody(runner, facts, options.enrollSecret),
    enrollAttempts: options.once ? onceEnrollAttempts : Number.POSITIVE_INFINITY,
    secondMs,
    log: options.log,
    signal: options.signal,
  })
  return {
    session,
    runner,
    facts,
    config: readConfig({}, process.platform),
    scheduleFacts: new Map(),
    logs: makeLogBuffer(),
    intervals: options.intervals ?? {},
    secondMs,
    hostIdentifier,
    log: options.log,
    signal: options.signal,
  }
}

/** The machine's identity, or the agent's own where it has none. */
async function readHostIdentifier(runner: QueryRunner, facts: AgentFacts): Promise<string> {
  const answer = await runner.run('SELECT uuid FROM osquery_info', facts)
  return (answer.ok && answer.rows[0]?.['uuid']) || facts.instanceId
}
