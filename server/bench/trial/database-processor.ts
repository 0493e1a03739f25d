import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10

/**
 * Tells how many milliseconds of processor time the sessions of a PostgreSQL server on this machine have used, those
 * that are open now. Undefined where that cannot be seen.
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

async function sumOfChildren(parent: string): Promise<number> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(processes.map((pid) => readStat(pid).catch(() => undefined)))
  return stats.reduce((sum, stat) => sum + (stat?.parent === parent ? stat.processorMs : 0), 0)
}

/** proc(5): the name in brackets may hold anything, so fields are counted from behind it. */
async function readStat(pid: string): Promise<{ parent: string; processorMs: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: fields[1] ?? '', processorMs: (Number(fields[11]) + Number(fields[12])) * tickMs }
}
