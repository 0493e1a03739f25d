import type pg from 'pg'

const oldestVersion = 15

/** Asks before anything is written: migrations that an older server does not understand would leave those before them. */
export async function refuseOldServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ number: string; version: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as version`,
  )
  const [{ number, version } = { number: '0', version: 'of no version' }] = rows
  if (Number(number) >= oldestVersion * 10_000) return
  // Distributions add their own: 14.23 (Debian 14.23-1.pgdg12+1).
  const [short] = version.split(' ')
  throw new Error(
    `The database is PostgreSQL ${short}, but Muster needs ${oldestVersion} or later. Upgrade the server, or put another one in DATABASE_URL.`,
  )
}
