import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely, KyselyPlugin, Transaction } from 'kysely'
import type { Database } from './schema.ts'
import { isStalePlan } from './stale-plan.ts'

/** May open a transaction, through `transact` only. */
export type Db = Kysely<Database>
/** Asked for by every command that others compose: the caller owns the commit. */
export type Tx = Transaction<Database>
/** Asked for by every query: both `Db` and `Tx` satisfy it, and it cannot write. */
export type Reader = Pick<Db, 'selectFrom' | 'selectNoFrom' | 'fn' | 'case' | 'dynamic'>

type Running = { isOpen: boolean; callbacks: (() => void)[] }

const running = new AsyncLocalStorage<Running>()

const passThrough: KyselyPlugin['transformResult'] = async ({ result }) => result

/** A query on `db` inside a transaction would escape it, and on the embedded engine wait for the time limit. */
export function refuseInsideTransaction(): void {
  if (running.getStore()?.isOpen) throw new Error('Query the transaction, not the database, inside a transaction')
}

export const refuseStrayQueries: KyselyPlugin = {
  transformQuery({ node }) {
    refuseInsideTransaction()
    return node
  },
  transformResult: passThrough,
}

const refuseLateQueries = (transaction: Running): KyselyPlugin => ({
  transformQuery({ node }) {
    if (!transaction.isOpen) throw new Error('The transaction is over: await every query inside it')
    return node
  },
  transformResult: passThrough,
})

/** Serialization failure, deadlock, and a plan made stale by a migration of another process. */
const retryableCodes = new Set(['40001', '40P01'])

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && retryableCodes.has(String(error.code))) || isStalePlan(error)
}

const maximumRetries = 3

/**
 * Runs `work` in one transaction and returns its result: commits when it resolves, rolls back when it rejects.
 * Refuses nesting. Serialization failures and deadlocks run `work` again, up to three times, so whatever it does
 * outside the database must be safe to repeat; callbacks of a failed attempt are dropped.
 */
export async function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (running.getStore()?.isOpen) throw new Error('A transaction is already open; take its tx')
  for (let retries = 0; ; retries += 1) {
    const transaction: Running = { isOpen: true, callbacks: [] }
    try {
      const result = await attempt(db, transaction, work)
      runCallbacks(transaction.callbacks)
      return result
    } catch (error) {
      if (retries >= maximumRetries || !isRetryable(error)) throw error
      await pause(10 * 2 ** retries * (0.5 + Math.random()))
    }
  }
}

async function attempt<T>(db: Db, transaction: Running, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await db
      .withoutPlugins()
      .transaction()
      .execute((tx) =>
        running.run(transaction, async () => {
          try {
            return await work(tx.withPlugin(refuseLateQueries(transaction)))
          } finally {
            transaction.isOpen = false
          }
        }),
      )
  } finally {
    transaction.isOpen = false
  }
}

/**
 * Calls `callback` once after the transaction that is open here has committed, never after a rollback.
 * For hints such as waking a worker: a fault in it is a process warning, because the commit has already happened.
 */
export function afterCommit(_tx: Tx, callback: () => void): void {
  const transaction = running.getStore()
  if (!transaction?.isOpen) throw new Error('afterCommit needs an open transaction: call it inside transact')
  transaction.callbacks.push(callback)
}

function runCallbacks(callbacks: (() => void)[]): void {
  for (const callback of callbacks) {
    try {
      callback()
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error))
    }
  }
}
