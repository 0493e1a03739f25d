import { Worker } from 'node:worker_threads'
import type { Session, Sessions, StatementResult } from '../sessions.ts'
import { decodeAnswer, encodeStatement, engineError } from '../wire.ts'
import type { EngineSettings, FromEngine, ToEngine, TransactionStatus } from './messages.ts'

type Pending = { resolve: (answer: FromEngine) => void; reject: (error: Error) => void }

export type EngineClient = {
  sessions: Sessions
  onNotification(receive: (channel: string, payload: string) => void): void
  snapshot(): Promise<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

type Engine = {
  ask(request: (id: number) => ToEngine, transfer?: ArrayBuffer[]): Promise<FromEngine>
  tell(message: ToEngine): void
  close(): Promise<void>
}

/** Starts the engine's thread and resolves when it answers; a refusal to open is the rejection. */
export async function startEngine(settings: EngineSettings): Promise<EngineClient> {
  const engine = await openThread(settings)
  let receive: (channel: string, payload: string) => void = () => {}
  let clients = 0

  async function run(client: number, text: string, parameters: readonly unknown[]) {
    const bytes = encodeStatement(text, parameters)
    const answer = await engine.ask((id) => ({ kind: 'statement', id, client, bytes }))
    if (answer.kind === 'refusal') throw engineError(answer.message, answer.sqlState)
    if (answer.kind !== 'answer') throw new Error(`The engine answered a statement with ${answer.kind}`)
    const { results, error, notifications } = decodeAnswer(answer.bytes)
    for (const { channel, payload } of notifications) receive(channel, payload)
    if (error?.code === readOnly && answer.lowOnSpace) throw engineError(answer.lowOnSpace, diskFull)
    if (error) throw error
    return { results, status: answer.status }
  }

  return {
    sessions: {
      async connect() {
        clients += 1
        return openSession(engine, clients, run)
      },
      end: () => engine.close(),
    },
    onNotification: (callback) => {
      receive = callback
    },
    async snapshot() {
      const answer = await engine.ask((id) => ({ kind: 'snapshot', id }))
      if (answer.kind !== 'snapshot') throw new Error(`The engine answered a snapshot with ${answer.kind}`)
      return new Uint8Array(await answer.blob.arrayBuffer())
    },
    close: () => engine.close(),
  }
}

const readOnly = '25006'
const diskFull = '53100'

type Run = (
  client: number,
  text: string,
  parameters: readonly unknown[],
) => Promise<{ results: StatementResult[]; status: TransactionStatus }>

/** One holder of the engine's session. Until its last statement is answered it may be in a transaction. */
function openSession(engine: Engine, client: number, run: Run): Session {
  let mayHold = false
  return {
    async run(text, parameters) {
      mayHold = true
      const { results, status } = await run(client, text, parameters)
      mayHold = status !== 'I'
      return results
    },
    release() {
      if (mayHold) engine.tell({ kind: 'release', client })
    },
  }
}

async function openThread(settings: EngineSettings): Promise<Engine> {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { workerData: settings })
  const pending = new Map<number, Pending>()
  let lastId = 0
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
    ask,
    tell: (message) => {
      if (!failure) worker.postMessage(message)
    },
    close: () => {
      closing ??= closeThread()
      return closing
    },
  }
}
