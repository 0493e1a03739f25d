import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import type { Config } from './config/load-config.ts'
import { openMasterKey } from './config/master-key.ts'
import { type Connection, connectEmbedded, connectPostgres } from './db/connect.ts'
import { migrate } from './db/migrate.ts'
import { installJobs } from './jobs/start-jobs.ts'
import { claimInstallation } from './secrets/installation.ts'
import { openSecrets, type Secrets } from './secrets/secrets.ts'

export type Deployment = { connection: Connection; secrets: Secrets }

const statementTimeoutMs = 30_000

/** Where the embedded database keeps its files. */
export const embeddedFolder = (dataDir: string): string => join(dataDir, 'database')

/** The configured database, not yet migrated. Only one process at a time may open the embedded one. */
async function openConnection(config: Config): Promise<Connection> {
  if (config.databaseUrl !== undefined) return connectPostgres({ url: config.databaseUrl, statementTimeoutMs })
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  return connectEmbedded({ dataDir: embeddedFolder(config.dataDir) })
}

/** Opens the database, brings its tables up to date, and makes sure that the master key is the one it was begun with. */
export async function openDeployment(config: Config, clock: Clock): Promise<Deployment> {
  const connection = await openConnection(config)
  try {
    await migrate(connection)
    await installJobs(connection)
    const secrets = openSecrets(await openMasterKey(config))
    await refuseOtherMasterKey(connection, secrets, clock())
    return { connection, secrets }
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function refuseOtherMasterKey({ db }: Connection, { fingerprint }: Secrets, now: string): Promise<void> {
  const stored = await claimInstallation(db, fingerprint, now)
  if (stored === fingerprint) return
  throw new Error(
    `This database was begun with the master key ${stored}, but the configured one is ${fingerprint} (fingerprints): set MUSTER_MASTER_KEY to the former, or restore master.key in the data folder`,
  )
}
