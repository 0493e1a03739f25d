import { sql } from 'kysely'
import type { Config } from '../base/config/load-config.ts'
import { openMasterKey } from '../base/config/master-key.ts'
import { type Connection, connectEmbedded, connectPostgres } from '../base/db/connect.ts'
import { pendingMigrations } from '../base/db/migrate.ts'
import { claimInstallation } from '../base/secrets/installation.ts'
import { openSecrets, type Secrets } from '../base/secrets/secrets.ts'
import { describeReadOnly } from '../health/write-access.ts'
import { embeddedFolder } from '../open-deployment.ts'
import { preparedFolder } from '../prepared-folder.ts'
import { upgradeDatabase } from '../upgrade-database.ts'
import { CommandError, exitCodes } from './command-error.ts'

/** The longest that a timer of Node takes: nobody else waits for a database that one command has open. */
const noTimeLimitMs = 2 ** 31 - 1

/** The database of the configuration, opened by this process. A CommandError tells why it cannot be. */
export async function openDatabase(config: Config, { mayTakeLong = true } = {}): Promise<Connection> {
  const { databaseUrl: url, dataDir } = config
  const limit = mayTakeLong && { statementTimeoutMs: 0 }
  try {
    return url === undefined
      ? await openEmbedded(dataDir)
      : await connectPostgres({ url, maxConnections: 2, applicationName: 'muster-cli', ...limit })
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    throw new CommandError(exitCodes.database, `Cannot open the database: ${reason}`, { cause: error })
  }
}

const openEmbedded = async (dataDir: string) =>
  connectEmbedded({
    dataDir: embeddedFolder(dataDir),
    prepared: await preparedFolder(),
    transactionTimeLimitMs: noTimeLimitMs,
  })

/**
 * A database that commands may work on: migrated, and sealed with the master key of the configuration, which is noted
 * at `claimedAt` if none is. Undefined leaves that to the command.
 */
export async function openInstallation(
  config: Config,
  { claimedAt, takesOlderTables }: { claimedAt: string | undefined; takesOlderTables: boolean },
): Promise<{ connection: Connection; secrets: Secrets }> {
  const connection = await openDatabase(config)
  try {
    if (!takesOlderTables) await requireMigrations(connection)
    const secrets = openSecrets(await openMasterKey(config))
    if (claimedAt !== undefined) {
      await requireWrites(connection)
      await requireMasterKey(connection, secrets, claimedAt)
    }
    return { connection, secrets }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** An embedded database belongs to this machine alone; on a server others may still need the old tables. */
async function requireMigrations(connection: Connection): Promise<void> {
  if (connection.engine === 'pglite') {
    await upgradeDatabase(connection)
    return
  }
  const pending = await pendingMigrations(connection)
  if (!(await hasJobQueue(connection))) pending.push('the job queue')
  if (pending.length === 0) return
  throw new CommandError(exitCodes.database, `The database lacks ${pending.join(', ')}: run \`muster migrate\` first`)
}

async function hasJobQueue({ db }: Connection): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('pgboss.job') is not null as found`.execute(db)
  return rows[0]?.found === true
}

/** Says why, where the first write would only fail; the embedded engine adds to that how much room it needs. */
export async function requireWrites({ db, engine }: Connection): Promise<void> {
  const reason = engine === 'postgres' ? await describeReadOnly(db) : undefined
  if (reason !== undefined) throw new CommandError(exitCodes.database, reason)
}

/** With the wrong key every look-up would miss and every unsealing fail, one by one. */
async function requireMasterKey({ db }: Connection, { fingerprint }: Secrets, now: string): Promise<void> {
  const stored = await claimInstallation(db, fingerprint, now)
  if (stored === fingerprint) return
  throw new CommandError(
    exitCodes.configuration,
    `The database belongs to the master key ${stored}, but the configured one is ${fingerprint} (fingerprints): set MUSTER_MASTER_KEY, or restore master.key in the data folder`,
  )
}
