import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions, protocol } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { completeFolder, engineOptions, prepareFolder } from './durable-file-system.ts'
import { freeSpaceGuard } from './free-space.ts'
import type { EngineSettings, FromEngine, ToEngine, TransactionStatus } from './messages.ts'
import { sessionQueue } from './session-queue.ts'

// The engine computes synchronously for as long as a statement takes, so it lives in a thread of its own.
if (!parentPort) throw new Error('The engine runs in a worker thread')
const port = parentPort
const settings = workerData as EngineSettings
const say = (message: FromEngine, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

async function openEngine(): Promise<PGlite> {
  const { dataDir, snapshot } = settings
  const isNew = dataDir !== undefined && prepareFolder(dataDir).isNew
  const options: PGliteOptions = { ...engineOptions(dataDir), extensions: { pg_trgm } }
  if (snapshot && (isNew || dataDir === undefined)) options.loadDataDir = snapshot
  const engine = await PGlite.create(options)
  if (dataDir !== undefined && isNew) {
    await engine.exec('checkpoint')
    completeFolder(dataDir)
  }
  return engine
}

let status: TransactionStatus = 'I'

/** Sends raw protocol and returns the raw answer. It is complete when the call returns, before any promise settles. */
function execute(engine: PGlite, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = []
  const onRawData = (chunk: Uint8Array) => void chunks.push(chunk.slice())
  const settled = engine.execProtocolRawStream(bytes, { syncToFs: false, onRawData })
  settled.catch((error: unknown) => say({ kind: 'broken', message: String(error) }))
  const answer = join(chunks)
  // ReadyForQuery ends every answer, and its last byte is the transaction status.
  status = String.fromCharCode(answer.at(-1) ?? 73) as TransactionStatus
  return answer
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

async function serve(engine: PGlite): Promise<void> {
  const command = (sql: string) => void execute(engine, protocol.serialize.query(sql))
  const guard =
    settings.dataDir === undefined ? undefined : freeSpaceGuard(settings.dataDir, settings.minimumFreeBytes, command)
  const queue = sessionQueue(() => command('rollback'), settings.transactionTimeLimitMs)

  function runStatement(id: number, bytes: Uint8Array): TransactionStatus {
    const lowOnSpace = guard?.check(status)
    const answer = execute(engine, bytes)
    say({ kind: 'answer', id, bytes: answer, status, ...(lowOnSpace && { lowOnSpace }) }, [answer.buffer])
    return status
  }

  async function onMessage(message: ToEngine): Promise<void> {
    if (message.kind === 'statement') {
      const { id, client, bytes } = message
      const refuse = (reason: string) => say({ kind: 'refusal', id, message: reason, sqlState: '25P04' })
      queue.submit({ client, run: () => runStatement(id, bytes), refuse })
    } else if (message.kind === 'release') {
      queue.release(message.client)
    } else if (message.kind === 'snapshot') {
      command('checkpoint')
      say({ kind: 'snapshot', id: message.id, blob: await engine.dumpDataDir('none') })
    } else {
      if (status !== 'I') command('rollback')
      command('checkpoint')
      await engine.close()
      say({ kind: 'closed', id: message.id })
      port.close()
    }
  }

  port.on('message', (message: ToEngine) => {
    onMessage(message).catch((error: unknown) => say({ kind: 'broken', message: String(error) }))
  })
  say({ kind: 'ready' })
}

try {
  await serve(await openEngine())
} catch (error) {
  say({ kind: 'broken', message: error instanceof Error ? error.message : String(error) })
  port.close()
}
