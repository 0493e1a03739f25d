import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../base/db/transact.ts'

/**
 * Why the database refuses writes, as a sentence for operators; undefined when it takes them, which a write finds out. The
 * embedded engine makes itself read-only when its disk is nearly full; PostgreSQL is while it is a standby or set to be.
 */
export async function describeRefusedWrites(db: Db): Promise<string | undefined> {
  return (await describeReadOnly(db)) ?? (await describeFailedWrite(db))
}

/** The same, asked as often as anyone likes, written every five seconds at most, and by one caller for all who wait. */
export function watchWrites(db: Db, monotonicMs: () => number = () => performance.now()) {
  let asked: { atMs: number; answer: Promise<string | undefined> } | undefined
  return (): Promise<string | undefined> => {
    if (asked && monotonicMs() - asked.atMs < askEveryMs) return asked.answer
    asked = { atMs: monotonicMs(), answer: describeRefusedWrites(db) }
    return asked.answer
  }
}

const askEveryMs = 5_000

/**
 * Why nothing can be read right, asked as often as anyone likes. A look through a pooler that mixes sessions finds the right one by
 * luck, so a fault is over only when none has been found for a minute.
 */
export function watchFaults(
  describeFault: () => Promise<string | undefined>,
  monotonicMs: () => number = () => performance.now(),
) {
  let found: { atMs: number; fault: string } | undefined
  return async (): Promise<string | undefined> => {
    const fault = await describeFault()
    if (fault !== undefined) found = { atMs: monotonicMs(), fault }
    else if (found && monotonicMs() - found.atMs >= faultHoldsMs) found = undefined
    return found?.fault
  }
}

const faultHoldsMs = 60_000

/** What the database says of itself. */
export async function describeReadOnly(db: Db | Tx): Promise<string | undefined> {
  const { rows } = await sql<{ isReadOnly: boolean; isStandby: boolean }>`
    select current_setting('transaction_read_only')::boolean as "isReadOnly", pg_is_in_recovery() as "isStandby"`.execute(
    db,
  )
  const [{ isReadOnly, isStandby } = { isReadOnly: true, isStandby: false }] = rows
  if (isStandby) return 'The database is a standby and refuses writes. Connect to the primary.'
  if (isReadOnly) return 'The database refuses writes: its disk is nearly full, or it is set to read-only.'
  return undefined
}

const reasons: Readonly<Record<string, string>> = {
  '53100': 'The database refuses writes: its disk is full.',
  '53200': 'The database refuses writes: it has no memory left.',
  '58030': 'The database refuses writes: it cannot write to its disk.',
  '25006': 'The database refuses writes: it is set to read-only.',
}

async function describeFailedWrite(db: Db): Promise<string | undefined> {
  try {
    await write(db)
    return undefined
  } catch (error) {
    const reason = reasons[codeOf(error)]
    if (reason === undefined) throw error
    return reason
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** A backup holds every table for as long as it takes; another process has written just now. */
const lockNotAvailable = '55P03'

async function write(db: Db): Promise<void> {
  try {
    await transact(db, async (tx) => {
      await sql`set local lock_timeout = '200ms'`.execute(tx)
      await sql`truncate write_probes`.execute(tx)
      await insert(tx)
    })
  } catch (error) {
    if (codeOf(error) !== lockNotAvailable) throw error
    await transact(db, insert)
  }
}

/** Four pages, each filled by a row, so that there is no room for them but new room. */
const insert = (tx: Tx) =>
  sql`insert into write_probes (filler) select repeat('x', 7900) from generate_series(1, 4)`.execute(tx)
