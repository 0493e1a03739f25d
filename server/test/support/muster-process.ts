import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { companionPorts } from '../../src/agents/companion-keys/companion-ports.ts'
import { type Call, callOrigin, type OriginAnswer } from './call-origin.ts'

const bin = fileURLToPath(new URL('../../bin/muster.js', import.meta.url))

/** On a machine that is busy with the rest of the suite; a calm one needs a tenth of it. */
const startLimitMs = 120_000
const stopLimitMs = 60_000

export type Outcome = { exit: number; out: string; err: string }

export type MusterProcess = {
  readonly pid: number
  readonly origin: string
  /** Everything it has written so far, to both outputs. */
  output(): string
  ask(method: string, path: string, call?: Call): Promise<OriginAnswer>
  /** Interrupts it as an operator would, and resolves to its exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>
  /** Ends it as a power cut would, and resolves once it is gone. */
  kill(): Promise<void>
  /** Resolves once the output matches. */
  says(pattern: RegExp, limitMs?: number): Promise<void>
}

export type Hooks = { after(work: () => Promise<void>): void }

/** A data folder of its own, and processes of the muster program with the same settings on it. */
export type MusterPlace = {
  readonly dataDir: string
  /** The environment of its processes, for commands that a shell starts. */
  readonly env: Readonly<NodeJS.ProcessEnv>
  /** The key of an embedded installation, once it is made. */
  masterKey(): Promise<string>
  /** Runs a command that ends by itself. */
  run(args: readonly string[], settings?: Record<string, string>, input?: string): Promise<Outcome>
  /** Starts a process and resolves once `/healthz` says that it works; rejects, with its output, when it ends before that. */
  start(args: readonly string[], settings?: Record<string, string>): Promise<MusterProcess>
  /** Starts one that answers no requests; it is there once its log says so. */
  startWorker(settings?: Record<string, string>): Promise<MusterProcess>
  /** Starts a command that continues until it is ended, and resolves once its output matches. */
  startCommand(args: readonly string[], says: RegExp, settings?: Record<string, string>): Promise<MusterProcess>
}

/** Everything is ended and removed when the test, or with the hooks of the module the file, is over. */
export function openPlace(hooks: Hooks, settings: Record<string, string> = {}): MusterPlace {
  const folder = mkdtempSync(join(tmpdir(), 'muster-'))
  const dataDir = join(folder, 'data')
  const children = new Set<ChildProcess>()
  const { PATH, NODE_COMPILE_CACHE, HOME } = process.env
  // Nothing balances these processes, and workers of many tests run at once.
  const common = {
    ...{ PATH, NODE_COMPILE_CACHE, HOME, MUSTER_DATA_DIR: dataDir },
    ...{ MUSTER_DRAIN_SECONDS: '0', MUSTER_WORKER_PORT: '0' },
    ...settings,
  }
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  // Also where the test process ends without its hooks.
  process.once('exit', killAll)
  hooks.after(async () => {
    killAll()
    await Promise.all([...children].map(ended))
    process.off('exit', killAll)
    await rm(folder, { recursive: true, force: true })
  })

  function spawnMuster(args: readonly string[], own: Record<string, string>): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [bin, ...args], {
      env: { ...common, ...own },
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    // A process that ends without reading its input breaks the pipe.
    child.stdin.on('error', () => {})
    return child
  }

  async function run(args: readonly string[], own: Record<string, string> = {}, input = ''): Promise<Outcome> {
    const child = spawnMuster(args, own)
    child.stdin.end(input)
    const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)])
    return { exit: exit ?? -1, out, err }
  }

  async function start(args: readonly string[], own: Record<string, string> = {}): Promise<MusterProcess> {
    const port = own['PORT'] ?? settings['PORT'] ?? String(await freePort())
    const isTls = own['MUSTER_TLS_CERT_FILE'] !== undefined || args.includes('--lan')
    const child = spawnMuster(args, { ...own, PORT: port })
    const started = watch(child, `${isTls ? 'https' : 'http'}://localhost:${port}`)
    await untilReady(child, started, { hasWorker: !args.includes('--no-worker') })
    return started
  }

  async function startCommand(args: readonly string[], says: RegExp, own: Record<string, string> = {}) {
    const started = watch(spawnMuster(args, own), '')
    await started.says(says)
    return started
  }

  return {
    dataDir,
    env: common,
    masterKey: async () => (await readFile(join(dataDir, 'master.key'), 'utf8')).trim(),
    run,
    start,
    startWorker: (own = {}) => startCommand(['worker'], /"started"/, own),
    startCommand,
  }
}

/** The key that a first start of a trial shows once. */
export async function printedKey(trial: MusterProcess): Promise<string> {
  const form = /mstr_v1_[0-9A-Za-z]{36}/
  await trial.says(form)
  return form.exec(trial.output())?.[0] ?? ''
}

function watch(child: ChildProcessWithoutNullStreams, origin: string): MusterProcess {
  let written = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk
    })
  }
  child.stdin.end()
  return {
    pid: child.pid ?? 0,
    origin,
    output: () => written,
    ask: (method, path, call = {}) => callOrigin(origin, method, path, call),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return within(stopLimitMs, ended(child), () => `The process did not end by ${signal}:\n${written.slice(-3_000)}`)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended(child)
    },
    async says(pattern, limitMs = startLimitMs) {
      await until(limitMs, async () => pattern.test(written) || refuseEnded(child, written))
    },
  }
}

/** A server without a worker is not ready until one runs, but a test that starts the worker later can continue. */
async function untilReady(child: ChildProcess, { ask, output }: MusterProcess, { hasWorker }: { hasWorker: boolean }) {
  await until(startLimitMs, async () => {
    refuseEnded(child, output())
    const answer = await ask('GET', '/healthz', { isTrusting: true }).catch(() => undefined)
    return hasWorker ? answer?.status === 200 : answer?.body.checks?.database?.status === 'pass'
  })
}

function refuseEnded({ exitCode, signalCode }: ChildProcess, written: string): false {
  if (exitCode === null && signalCode === null) return false
  throw new Error(`The process has ended with ${exitCode ?? signalCode}:\n${written.slice(-3_000)}`)
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function within<Result>(limitMs: number, work: Promise<Result>, message: () => string): Promise<Result> {
  const timer = new AbortController()
  const late = pause(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(message())
  })
  late.catch(() => {})
  return Promise.race([work, late]).finally(() => timer.abort())
}

/** So that a machine that is busy with other work fails no test. */
const minDeadlineMs = 120_000

/**
 * Asks again and again until the answer is yes, and resolves to how long that took in ms. Rejects after `limitMs`, but not
 * before two minutes: the deadline tells what never comes from what does, not how fast it is.
 */
export async function until(limitMs: number, isSo: () => Promise<boolean>, everyMs = 50): Promise<number> {
  const startedAt = performance.now()
  const deadlineMs = Math.max(limitMs, minDeadlineMs)
  for (;;) {
    if (await isSo()) return performance.now() - startedAt
    if (performance.now() - startedAt > deadlineMs) throw new Error(`Not within ${deadlineMs} ms: ${isSo}`)
    await pause(everyMs)
  }
}

/**
 * A port that is free. It is none of those that systems give to outgoing connections (32768 and up on Linux, 49152 and up
 * elsewhere), of which one might have taken it before it is listened on.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (companionPorts.includes(port)) continue
    const server = net.createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
