import fs from 'node:fs'
import path from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { endClient } from './answer-limit.ts'
import { directStatements } from './direct-statements.ts'
import { type EngineClient, startEngine } from './embedded/engine-client.ts'
import { lockFolder } from './embedded/lock-file.ts'
import type { EngineSettings } from './embedded/messages.ts'
import { explainConnectFailure } from './explain-connect-failure.ts'
import { killableSessions } from './kill-sessions.ts'
import { namedStatements } from './named-statements.ts'
import { postgresListener } from './postgres-listener.ts'
import { openClient, openPool, type PostgresSettings, postgresSessions, withAdvisoryLock } from './postgres-pool.ts'
import { refuseOldServer } from './refuse-old-server.ts'
import { goDirectly } from './run-directly.ts'
import type { Database } from './schema.ts'
import { executeScript, kyselyPool, type Row, type RunOptions, type Sessions } from './sessions.ts'
import { backendOf, describeUnsettled, pooledByTransaction } from './settle-session.ts'
import { type Db, refuseStrayQueries } from './transact.ts'

export type Engine = 'postgres' | 'pglite'

export type Connection = {
  db: Db
  engine: Engine
  /**
   * Calls back with each payload notified on the channel; resolves to the end of it. Delivery is a hint: also poll.
   * `onReconnect` is called when notifications may have been missed.
   */
  listen(channel: string, onNotify: (payload: string) => void, onReconnect?: () => void): Promise<() => Promise<void>>
  /**
   * Runs several statements without parameters and returns all their rows; a transaction that the script opens and
   * does not end is rolled back.
   */
  executeScript(sql: string, options?: RunOptions): Promise<Row[]>
  /**
   * Runs `work` while no other process runs work of the same lock on this database; others wait. The lock belongs to a
   * session of its own, so `work` may use any number of transactions.
   */
  exclusively<Result>(lock: number, work: () => Promise<Result>): Promise<Result>
  /** Why what is read would be wrong, such as a pooler that mixes sessions; fit for everyone to read. */
  describeFault(): Promise<string | undefined>
  /** How this process uses its connections; undefined for the embedded engine, which has one session. */
  poolUse(): { used: number; idle: number; waiting: number } | undefined
  /** What the embedded engine and the isolated ones have taken as heap, in bytes; undefined on PostgreSQL. */
  heapUse(): { main: number; isolated: number } | undefined
  /**
   * A connection for work that may have to be ended while it computes: on PostgreSQL a session of its own under this
   * name, on the embedded engine an empty database in memory whose heap takes so many bytes at most. It ends with this
   * connection.
   */
  openIsolated(name: string, maxHeapBytes?: number): Promise<IsolatedConnection>
  /**
   * Copies the folder of the embedded engine, which serves nobody meanwhile, for `use`, and removes the copy afterwards.
   * Undefined where there is no folder. Rejects while another copy is in use.
   */
  withCopy: (<Result>(use: (copy: FolderCopy) => Promise<Result>) => Promise<Result>) | undefined
  close(): Promise<void>
}

/** `tookMs` is how long nobody was served. */
export type FolderCopy = { folder: string; tookMs: number }

export type IsolatedConnection = Connection & {
  /** Ends it whatever it computes. Resolves to whether the database has let go of it, which may take seconds. */
  kill(): Promise<boolean>
  isEnded(): boolean
}

export type EmbeddedConnection = IsolatedConnection & {
  /** The whole data folder as a tar, to open another engine from. */
  snapshot(): Promise<Uint8Array<ArrayBuffer>>
}

export type EmbeddedSettings = {
  /** Absent: in memory. */
  dataDir?: string
  /** What to start a new database from; ignored where the folder already holds one. */
  snapshot?: Uint8Array<ArrayBuffer> | Blob
  /** The closed folder of a database to copy for a new one; a folder that cannot be read is passed over. */
  prepared?: string | undefined
  minimumFreeBytes?: number
  transactionTimeLimitMs?: number
  /** What isolated connections start from, instead of nothing. */
  isolatedSnapshot?: Uint8Array<ArrayBuffer> | Blob
  /** See `openIsolated`; a statement that needs more fails with 53200. */
  maxHeapBytes?: number
}

const databaseOver = (sessions: Sessions): Db =>
  new Kysely<Database>({ dialect: new PostgresDialect({ pool: kyselyPool(sessions) }), plugins: [refuseStrayQueries] })

/**
 * A pool on a PostgreSQL server. Rejects when the first connection fails, when the server is too old, and when what is
 * read through it would be wrong.
 */
export async function connectPostgres(settings: PostgresSettings): Promise<Connection> {
  const pool = openPool(settings)
  const connection = await connectPool(settings, pool)
  try {
    const isShared = await usingClient(pool, (idle) => isPooledByTransaction(settings, idle))
    const fault = isShared ? pooledByTransaction : await connection.describeFault()
    if (fault !== undefined) throw new Error(fault)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Whether another connection is served by the process that serves the idle one. */
async function isPooledByTransaction(settings: PostgresSettings, idle: pg.PoolClient): Promise<boolean> {
  const other = await openClient(settings)
  await endClient(other)
  return backendOf(idle) === backendOf(other)
}

async function connectPool(settings: PostgresSettings, pool: pg.Pool): Promise<Connection> {
  const listener = postgresListener(settings)
  const names = namedStatements()
  const sessions = postgresSessions(pool, names)
  const db = databaseOver(sessions)
  goDirectly(db, directStatements(pool, names))
  try {
    await refuseOldServer(pool)
  } catch (error) {
    await pool.end()
    throw explainConnectFailure(error)
  }
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await listener.close()
    await db.destroy()
    if (!pool.ending) await pool.end()
  }
  return {
    db,
    engine: 'postgres',
    listen: listener.listen,
    executeScript: (sql, options) => executeScript(sessions, sql, options),
    exclusively: (lock, work) => withAdvisoryLock(settings, lock, work),
    describeFault: () => usingClient(pool, describeUnsettled),
    poolUse: () => usesOf(pool),
    heapUse: () => undefined,
    openIsolated: (name) => isolatePostgres(settings, pool, name),
    withCopy: undefined,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** The pool queues everyone for a moment: who gets an idle connection, or a new one, does not wait. */
function usesOf({ totalCount, idleCount, waitingCount, options }: pg.Pool) {
  const used = totalCount - idleCount
  return { used, idle: idleCount, waiting: Math.max(0, waitingCount - (options.max - used)) }
}

async function usingClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

/** Its session is ended by another of the pool's. */
async function isolatePostgres(settings: PostgresSettings, pool: pg.Pool, name: string): Promise<IsolatedConnection> {
  const own = { ...settings, maxConnections: 1, applicationName: name }
  const ownPool = openPool(own)
  const sessions = killableSessions(ownPool, pool, name)
  const connection = await connectPool(own, ownPool)
  return { ...connection, ...sessions }
}

/** Enough for the write-ahead log to be cut down again after a large statement. */
const defaultMinimumFreeBytes = 256 * 2 ** 20
const defaultTransactionTimeLimitMs = 30_000

/**
 * The embedded engine in a thread of its own, on a folder locked for this process or in memory. One session serves
 * all: single statements queue, a transaction has it for itself until it ends or its time limit passes. A statement
 * that computes for long cannot be cut short, as the engine has no timers.
 */
export async function connectEmbedded(settings: EmbeddedSettings = {}): Promise<EmbeddedConnection> {
  const { dataDir } = settings
  if (dataDir !== undefined) fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const unlock = dataDir === undefined ? () => {} : lockFolder(dataDir)
  const engine = await startEngine(engineSettings(settings)).catch((error: unknown) => {
    unlock()
    throw error
  })
  const { listen, receive, listenAgain } = embeddedListeners(engine.sessions)
  engine.on({ notification: receive, reopened: listenAgain })
  const isolated = new Set<IsolatedConnection>()
  let closing: Promise<void> | undefined
  let isEnded = false

  async function openIsolated(_name: string, maxHeapBytes?: number): Promise<IsolatedConnection> {
    const { isolatedSnapshot } = settings
    const opened = await connectEmbedded({
      ...(isolatedSnapshot && { snapshot: isolatedSnapshot }),
      ...(maxHeapBytes !== undefined && { maxHeapBytes }),
    })
    const connection = { ...opened, kill: () => opened.kill().finally(() => isolated.delete(connection)) }
    isolated.add(connection)
    return connection
  }

  async function close(): Promise<void> {
    await Promise.all(Array.from(isolated, (one) => one.kill()))
    await engine.close().finally(unlock)
  }

  return {
    db: databaseOver(engine.sessions),
    engine: 'pglite',
    listen,
    executeScript: (sql) => executeScript(engine.sessions, sql),
    // The folder is locked: there is no other process.
    exclusively: (_lock, work) => work(),
    describeFault: async () => undefined,
    poolUse: () => undefined,
    heapUse: () => ({
      main: engine.heapBytes(),
      isolated: Array.from(isolated, (one) => one.heapUse()?.main ?? 0).reduce((sum, bytes) => sum + bytes, 0),
    }),
    openIsolated,
    withCopy: dataDir === undefined ? undefined : copies(engine),
    snapshot: engine.snapshot,
    async kill() {
      isEnded = true
      await engine.terminate().finally(unlock)
      return true
    },
    isEnded: () => isEnded,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** One at a time, since they are all in one place. */
function copies({ copyFolder }: EngineClient): Connection['withCopy'] {
  let isInUse = false
  return async (use) => {
    if (isInUse) throw new Error('Another backup is being made: run it again when that is done')
    isInUse = true
    try {
      const copy = await copyFolder()
      try {
        return await use(copy)
      } finally {
        await fs.promises.rm(copy.folder, { recursive: true, force: true })
      }
    } finally {
      isInUse = false
    }
  }
}

function engineSettings(settings: EmbeddedSettings): EngineSettings {
  const { dataDir, snapshot, prepared } = settings
  return {
    ...(dataDir !== undefined && { dataDir: path.resolve(dataDir) }),
    ...(snapshot && { snapshot: snapshot instanceof Blob ? snapshot : new Blob([snapshot]) }),
    ...(prepared !== undefined && { prepared }),
    minimumFreeBytes: settings.minimumFreeBytes ?? defaultMinimumFreeBytes,
    transactionTimeLimitMs: settings.transactionTimeLimitMs ?? defaultTransactionTimeLimitMs,
    ...(settings.maxHeapBytes !== undefined && { maxHeapBytes: settings.maxHeapBytes }),
  }
}

type OnNotify = (payload: string) => void
type Listening = { onNotify: OnNotify; onReconnect: () => void }

/** The engine's one session listens for all; each channel's callbacks are kept here. */
function embeddedListeners(sessions: Sessions) {
  const channels = new Map<string, Set<Listening>>()
  const listenTo = (channel: string) => executeScript(sessions, `listen "${channel.replaceAll('"', '""')}"`)

  async function listen(channel: string, onNotify: OnNotify, onReconnect = () => {}): Promise<() => Promise<void>> {
    const listening = { onNotify, onReconnect }
    const listenings = channels.get(channel) ?? new Set()
    channels.set(channel, listenings)
    listenings.add(listening)
    await listenTo(channel)
    return async () => {
      listenings.delete(listening)
      if (listenings.size > 0 || !channels.delete(channel)) return
      // An engine that is gone no longer listens.
      await executeScript(sessions, `unlisten "${channel.replaceAll('"', '""')}"`).catch(() => {})
    }
  }

  function receive(channel: string, payload: string): void {
    for (const { onNotify } of channels.get(channel) ?? []) onNotify(payload)
  }

  function listenAgain(): void {
    for (const [channel, listenings] of channels) {
      const tell = () => {
        for (const { onReconnect } of listenings) onReconnect()
      }
      // Should it fail, the engine is gone again, and its next opening comes back here.
      listenTo(channel).then(tell, () => {})
    }
  }

  return { listen, receive, listenAgain }
}
