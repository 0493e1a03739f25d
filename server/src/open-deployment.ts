import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Clock } from './base/clock.ts'
import type { Config } from './base/config/load-config.ts'
import { openMasterKey } from './base/config/master-key.ts'
import { type Connection, connectEmbedded, connectPostgres } from './base/db/connect.ts'
import { claimInstallation } from './base/secrets/installation.ts'
import { openSecrets, type Secrets } from './base/secrets/secrets.ts'
import { describeReadOnly } from './health/write-access.ts'
import { preparedFolder } from './prepared-folder.ts'
import { upgradeDatabase } from './upgrade-database.ts'

/** Whether a process answers requests, works in the background, or both. */
export type Roles = { api: boolean; worker: boolean }

export type Deployment = { connection: Connection; secrets: Secrets }

const statementTimeoutMs = 30_000

/** Where the embedded database keeps its files. */
export const embeddedFolder = (dataDir: string): string => join(dataDir, 'database')

/** What `pg_stat_activity` shows, so that an operator can tell the processes apart. */
const processNames = { all: 'muster serve', api: 'muster serve --no-worker', worker: 'muster worker' }

const applicationNameOf = ({ api, worker }: Roles): string => {
  if (api) return worker ? processNames.all : processNames.api
  return processNames.worker
}

/** What the processes that have a PostgreSQL database open run as, commands of the terminal left out. */
export async function listProcesses({ db }: Connection): Promise<string[]> {
  const names = Object.values(processNames)
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name = any(${names}) order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/** The configured database, not yet migrated. Only one process at a time may open the embedded one. */
async function openConnection(config: Config, roles: Roles): Promise<Connection> {
  const { databaseUrl: url, databasePoolSize: maxConnections } = config
  if (url !== undefined) {
    return connectPostgres({ url, maxConnections, statementTimeoutMs, applicationName: applicationNameOf(roles) })
  }
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  return connectEmbedded({ dataDir: embeddedFolder(config.dataDir), prepared: await preparedFolder() })
}

/** Opens the database, brings its tables up to date, and makes sure that the master key is the one it was begun with. */
export async function openDeployment(config: Config, clock: Clock, roles: Roles): Promise<Deployment> {
  const connection = await openConnection(config, roles)
  try {
    await refuseReadOnly(connection)
    await upgradeDatabase(connection)
    const secrets = openSecrets(await openMasterKey(config))
    await refuseOtherMasterKey(connection, secrets, clock())
    return { connection, secrets }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Says why, where the first write would only fail; the embedded engine adds to that how much room it needs. */
async function refuseReadOnly({ db, engine }: Connection): Promise<void> {
  const reason = engine === 'postgres' ? await describeReadOnly(db) : undefined
  if (reason !== undefined) throw new Error(reason)
}

async function refuseOtherMasterKey({ db }: Connection, { fingerprint }: Secrets, now: string): Promise<void> {
  const stored = await claimInstallation(db, fingerprint, now)
  if (stored === fingerprint) return
  throw new Error(
    `This database was begun with the master key ${stored}, but the configured one is ${fingerprint} (fingerprints): set MUSTER_MASTER_KEY to the former, or restore master.key in the data folder`,
  )
}
