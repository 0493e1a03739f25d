import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { decodeAnswer, encodeStatement } from '../wire.ts'
import {
  completeFolder,
  copyPrepared,
  DurableFileSystem,
  durableOptions,
  memoryOptions,
  prepareFolder,
  removeFiles,
} from './durable-file-system.ts'
import { copyFolder } from './folder-copies.ts'
import { freeSpaceGuard } from './free-space.ts'
import { checkpointer, maintainOneTable } from './maintenance.ts'
import type { EngineData, FromEngine, ToEngine, TransactionStatus } from './messages.ts'
import { sessionQueue } from './session-queue.ts'
import { watchHeap } from './watch-heap.ts'

// The engine computes synchronously for as long as a statement takes, so it lives in a thread of its own.
if (!parentPort) throw new Error('The engine runs in a worker thread')
const port = parentPort
const { compiled, ...settings } = workerData as EngineData
const shared = { extensions: { pg_trgm }, pgliteWasmModule: compiled } as PGliteOptions
const say = (message: FromEngine, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

/** There is no carrying on after this: the main thread opens the folder again, as after a crash. */
function giveUp(error: unknown): never {
  say({ kind: 'broken', message: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}

type Opened = { engine: PGlite; writtenBytes: () => number }

async function openEngine(): Promise<Opened> {
  const { dataDir, snapshot, prepared } = settings
  const loading: PGliteOptions = { ...shared, ...(snapshot && { loadDataDir: snapshot }) }
  if (dataDir === undefined) {
    return { engine: await PGlite.create({ ...memoryOptions(), ...loading }), writtenBytes: () => 0 }
  }
  const { isNew } = prepareFolder(dataDir)
  const copied = isNew && prepared !== undefined ? await openCopy(prepared, dataDir) : undefined
  const opened = copied ?? (await openFolder(dataDir, isNew ? loading : shared))
  if (isNew) {
    await opened.engine.exec('checkpoint')
    completeFolder(dataDir)
  }
  return opened
}

async function openFolder(dataDir: string, options: PGliteOptions): Promise<Opened> {
  const fileSystem = new DurableFileSystem(path.join(dataDir, 'pgdata'))
  const engine = await PGlite.create({ ...durableOptions(fileSystem), ...options })
  return { engine, writtenBytes: () => fileSystem.writtenBytes }
}

/** A prepared database that does not open is no reason not to start. */
async function openCopy(prepared: string, dataDir: string): Promise<Opened | undefined> {
  if (!copyPrepared(prepared, dataDir)) return undefined
  try {
    return await openFolder(dataDir, shared)
  } catch {
    removeFiles(dataDir)
    return undefined
  }
}

/** How the engine leaves its loop for an ordinary error; anything else it throws is its end, which it would hide. */
const ordinaryError = 100

function failInsteadOfHanging(engine: PGlite): void {
  const module = engine.Module as unknown as { _PostgresMainLoopOnce: () => void }
  const runOnce = module._PostgresMainLoopOnce
  module._PostgresMainLoopOnce = () => {
    try {
      runOnce()
    } catch (error) {
      const isOrdinary =
        typeof error === 'object' && error !== null && 'status' in error && error.status === ordinaryError
      if (!isOrdinary) giveUp(error)
      throw error
    }
  }
}

const heapBytesOf = (engine: PGlite): number => (engine.Module as unknown as { HEAPU8: Uint8Array }).HEAPU8.byteLength

let status: TransactionStatus = 'I'

/** Sends raw protocol and returns the raw answer. It is complete when the call returns, before any promise settles. */
function execute(engine: PGlite, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = []
  const onRawData = (chunk: Uint8Array) => void chunks.push(chunk.slice())
  engine.execProtocolRawStream(bytes, { syncToFs: false, onRawData }).catch(giveUp)
  const answer = join(chunks)
  status = statusIn(answer)
  return answer
}

/** ReadyForQuery ("Z", length 5, status) ends an answer, though a notification may still follow it. */
function statusIn(answer: Uint8Array): TransactionStatus {
  const [readyForQuery, length] = [0x5a, 5]
  for (let at = answer.length - 6; at >= 0; at -= 1) {
    if (
      answer[at] === readyForQuery &&
      answer[at + 4] === length &&
      !answer[at + 1] &&
      !answer[at + 2] &&
      !answer[at + 3]
    ) {
      return String.fromCharCode(answer[at + 5] ?? 0) as TransactionStatus
    }
  }
  throw new Error('The engine gave no answer')
}

function join(chunks: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}

const maintainEveryMs = 60_000

/** No client has this number: theirs begin with 1. */
const copier = 0

/** What does not fit on the disk is a refusal: the engine continues as if nobody had asked. */
function copy(id: number, checkpoint: () => void): TransactionStatus {
  const { dataDir, minimumFreeBytes } = settings
  const startedAtMs = performance.now()
  try {
    if (dataDir === undefined) throw new Error('A database in memory has no folder')
    checkpoint()
    const folder = copyFolder(dataDir, minimumFreeBytes)
    say({ kind: 'copied', id, folder, tookMs: performance.now() - startedAtMs })
  } catch (error) {
    say({ kind: 'refusal', id, message: error instanceof Error ? error.message : String(error), sqlState: '53100' })
  }
  return status
}

async function serve({ engine, writtenBytes }: Opened): Promise<void> {
  failInsteadOfHanging(engine)
  watchHeap(heapBytesOf(engine), settings.maxHeapBytes, (bytes) => say({ kind: 'heap', bytes }))
  const command = (sql: string) => decodeAnswer(execute(engine, encodeStatement(sql, [])))
  const { dataDir, minimumFreeBytes, transactionTimeLimitMs } = settings
  const guard = dataDir === undefined ? undefined : freeSpaceGuard(dataDir, minimumFreeBytes, command)
  const checkpoints = checkpointer(writtenBytes, command)
  const queue = sessionQueue(() => command('rollback'), transactionTimeLimitMs)
  const upkeep = setInterval(() => {
    if (queue.isIdle() && !guard?.check(status)) maintainOneTable(command)
  }, maintainEveryMs)

  function runStatement(id: number, bytes: Uint8Array): TransactionStatus {
    const lowOnSpace = guard?.check(status)
    const answer = execute(engine, bytes)
    const statusAfter = status
    say({ kind: 'answer', id, bytes: answer, status, ...(lowOnSpace && { lowOnSpace }) }, [answer.buffer])
    if (status === 'I') checkpoints.afterStatement()
    return statusAfter
  }

  async function onMessage(message: ToEngine): Promise<void> {
    if (message.kind === 'statement') {
      const { id, client, bytes } = message
      const refuse = (reason: string) => say({ kind: 'refusal', id, message: reason, sqlState: '25P04' })
      queue.submit({ client, run: () => runStatement(id, bytes), refuse })
    } else if (message.kind === 'release') {
      queue.release(message.client)
    } else if (message.kind === 'copy') {
      const { id } = message
      queue.submit({ client: copier, run: () => copy(id, () => command('checkpoint')), refuse: () => {} })
    } else if (message.kind === 'snapshot') {
      command('checkpoint')
      say({ kind: 'snapshot', id: message.id, blob: await engine.dumpDataDir('none') })
    } else {
      clearInterval(upkeep)
      if (status !== 'I') command('rollback')
      command('checkpoint')
      await engine.close()
      say({ kind: 'closed', id: message.id })
      port.close()
    }
  }

  port.on('message', (message: ToEngine) => void onMessage(message).catch(giveUp))
  say({ kind: 'ready' })
}

await openEngine().then(serve).catch(giveUp)
