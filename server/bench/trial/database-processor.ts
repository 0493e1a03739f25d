import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10

/**
 * Tells how many milliseconds of processor time the sessions of a PostgreSQL server on this machine have used, with those
 * that have ended, so that it never goes back. Undefined where that cannot be seen.
 */
export async function watchDatabase(databaseUrl: string | undefined): Promise<(() => Promise<number>) | undefined> {
  if (databaseUrl === undefined) return undefined
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const own = await readStat(String(rows[0]?.pid)).catch(() => undefined)
    return own && (() => sumOfChildren(own.parent))
  } finally {
    await client.end()
  }
}

/** A session that ends meanwhile would count twice or not at all: then everything is read again. */
async function sumOfChildren(parent: string): Promise<number> {
  for (;;) {
    const before = await readStat(parent)
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const stats = await Promise.all(processes.map((pid) => readStat(pid).catch(() => undefined)))
    const { endedMs } = await readStat(parent)
    if (endedMs !== before.endedMs) continue
    return stats.reduce((sum, stat) => sum + (stat?.parent === parent ? stat.processorMs : 0), endedMs)
  }
}

type Stat = {
  parent: string
  processorMs: number
  /** Of its children that have ended. */
  endedMs: number
}

/** proc(5): the name in brackets may hold anything, so fields are counted from behind it. */
async function readStat(pid: string): Promise<Stat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticksOf = (field: number) => Number(fields[field]) * tickMs
  return { parent: fields[1] ?? '', processorMs: ticksOf(11) + ticksOf(12), endedMs: ticksOf(13) + ticksOf(14) }
}
