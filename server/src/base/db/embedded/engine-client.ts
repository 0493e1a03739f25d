import { Worker } from 'node:worker_threads'
import type { Session, Sessions, StatementResult } from '../sessions.ts'
import { decodeAnswer, encodeStatement, engineError } from '../wire.ts'
import { compiledEngine } from './compiled-engine.ts'
import type { EngineData, EngineSettings, FromEngine, ToEngine, TransactionStatus } from './messages.ts'

type Pending = { resolve: (answer: FromEngine) => void; reject: (error: Error) => void }

export type EngineClient = {
  sessions: Sessions
  /** Called with each notification, and after the engine had to be opened again, when it listens to nothing. */
  on(handlers: { notification(channel: string, payload: string): void; reopened(): void }): void
  snapshot(): Promise<Uint8Array<ArrayBuffer>>
  /** Copies the folder as it is between two transactions; who asks removes the copy. */
  copyFolder(): Promise<{ folder: string; tookMs: number }>
  /** What its heap has grown to; it never shrinks. */
  heapBytes(): number
  close(): Promise<void>
  /** Ends the thread at once, also while it computes; what is on disk stays as after a crash. */
  terminate(): Promise<void>
}

type Engine = {
  hasFailed(): boolean
  heapBytes(): number
  ask(request: (id: number) => ToEngine, transfer?: ArrayBuffer[]): Promise<FromEngine>
  tell(message: ToEngine): void
  close(): Promise<void>
  terminate(): Promise<void>
}

/**
 * Starts the engine's thread and resolves when it answers; a refusal to open is the rejection. An engine on a folder
 * that fails later is opened again by the next use, as a server recovers after a crash.
 */
export async function startEngine(settings: EngineSettings): Promise<EngineClient> {
  let handlers: Parameters<EngineClient['on']>[0] = { notification: () => {}, reopened: () => {} }
  let opening = openThread(settings)
  let engine = await opening
  let clients = 0
  let isClosed = false

  async function current(): Promise<Engine> {
    if (!engine.hasFailed() || isClosed || settings.dataDir === undefined) return engine
    if ((await opening.catch(() => engine)) === engine) opening = openThread(settings)
    const reopened = await opening
    if (reopened !== engine) {
      engine = reopened
      handlers.reopened()
    }
    return engine
  }

  return {
    sessions: {
      async connect() {
        clients += 1
        // Taken before the wait: sessions opened together would otherwise all have the last number, and be one to the queue.
        const client = clients
        return openSession(await current(), client, (...notified) => handlers.notification(...notified))
      },
      end: () => engine.close(),
    },
    on: (given) => {
      handlers = given
    },
    async snapshot() {
      const answer = await (await current()).ask((id) => ({ kind: 'snapshot', id }))
      if (answer.kind !== 'snapshot') throw new Error(`The engine answered a snapshot with ${answer.kind}`)
      return new Uint8Array(await answer.blob.arrayBuffer())
    },
    async copyFolder() {
      const answer = await (await current()).ask((id) => ({ kind: 'copy', id }))
      if (answer.kind === 'refusal') throw engineError(answer.message, answer.sqlState)
      if (answer.kind !== 'copied') throw new Error(`The engine answered a copy with ${answer.kind}`)
      return answer
    },
    heapBytes: () => engine.heapBytes(),
    async close() {
      isClosed = true
      await (await opening.catch(() => engine)).close()
    },
    async terminate() {
      isClosed = true
      await (await opening.catch(() => engine)).terminate()
    },
  }
}

const readOnly = '25006'
const diskFull = '53100'

type Notified = (channel: string, payload: string) => void

/** One holder of the engine's session. Until its last statement is answered it may be in a transaction. */
function openSession(engine: Engine, client: number, notified: Notified): Session {
  let mayHold = false
  return {
    async run(text, parameters) {
      mayHold = true
      const answer = await engine.ask((id) => ({
        kind: 'statement',
        id,
        client,
        bytes: encodeStatement(text, parameters),
      }))
      const { results, status } = openAnswer(answer, notified)
      mayHold = status !== 'I'
      return results
    },
    release() {
      if (mayHold) engine.tell({ kind: 'release', client })
    },
  }
}

function openAnswer(answer: FromEngine, notified: Notified): { results: StatementResult[]; status: TransactionStatus } {
  if (answer.kind === 'refusal') throw engineError(answer.message, answer.sqlState)
  if (answer.kind !== 'answer') throw new Error(`The engine answered a statement with ${answer.kind}`)
  const { results, error, notifications } = decodeAnswer(answer.bytes)
  for (const { channel, payload } of notifications) notified(channel, payload)
  if (error?.code === readOnly && answer.lowOnSpace) throw engineError(answer.lowOnSpace, diskFull)
  if (error) throw error
  return { results, status: answer.status }
}

async function openThread(settings: EngineSettings): Promise<Engine> {
  const workerData: EngineData = { ...settings, compiled: await compiledEngine() }
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { workerData })
  const pending = new Map<number, Pending>()
  let lastId = 0
  let heapBytes = 0
  let failure: Error | undefined
  let closing: Promise<void> | undefined

  function fail(error: Error): void {
    failure ??= error
    for (const { reject } of pending.values()) reject(failure)
    pending.clear()
  }

  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromEngine) => {
      if (message.kind === 'ready') resolve()
      else if (message.kind === 'heap') heapBytes = message.bytes
      else if (message.kind === 'broken') fail(new Error(`The embedded database failed: ${message.message}`))
      else {
        pending.get(message.id)?.resolve(message)
        pending.delete(message.id)
      }
      if (failure) reject(failure)
    })
    worker.on('error', (error) => {
      fail(new Error('The embedded database failed', { cause: error }))
      reject(error)
    })
    worker.on('exit', () => {
      fail(new Error('The embedded database is closed'))
      reject(failure)
    })
  })
  await ready

  async function ask(request: (id: number) => ToEngine, transfer: ArrayBuffer[] = []): Promise<FromEngine> {
    if (failure) throw failure
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject })
      worker.postMessage(request(id), transfer)
    })
  }

  async function closeThread(): Promise<void> {
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    if (!failure) await ask((id) => ({ kind: 'close', id }))
    failure ??= new Error('The embedded database is closed')
    await Promise.race([exited, worker.terminate()])
  }

  return {
    hasFailed: () => failure !== undefined,
    heapBytes: () => heapBytes,
    ask,
    tell: (message) => {
      if (!failure) worker.postMessage(message)
    },
    close: () => {
      closing ??= closeThread()
      return closing
    },
    async terminate() {
      fail(new Error('The embedded database was ended'))
      closing ??= worker.terminate().then(() => {})
      await worker.terminate()
    },
  }
}
