import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { type Config, loadConfig } from '../../base/config/load-config.ts'
import { masterKeyFile, openMasterKey } from '../../base/config/master-key.ts'
import { type Connection, connectEmbedded } from '../../base/db/connect.ts'
import { holdsDatabase, openRestoring, putInPlace, removeLeftovers } from '../../base/db/embedded/folder-copies.ts'
import { lockFolder } from '../../base/db/embedded/lock-file.ts'
import { openSecrets, type Secrets } from '../../base/secrets/secrets.ts'
import { embeddedFolder, listProcesses } from '../../open-deployment.ts'
import { upgradeDatabase } from '../../upgrade-database.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { noFolder } from '../commands/backup-command.ts'
import type { CommandIo } from '../data-command.ts'
import { openDatabase } from '../open-database.ts'
import { plainText } from '../table.ts'
import type { BackupManifest } from './backup-format.ts'
import { followRestore } from './follow-restore.ts'
import { isSigned } from './sign-manifest.ts'
import { notWhole, requireWhole, unpackBackup } from './unpack-backup.ts'

type Asked = { input: string | undefined; databaseIsRestored: boolean }

/** Restores a backup of the embedded engine, or does what follows where PostgreSQL has restored one. */
export async function restore(env: NodeJS.ProcessEnv, io: CommandIo, asked: Asked): Promise<number> {
  const { input, databaseIsRestored } = asked
  const config = loadConfig(env)
  if (databaseIsRestored === (input !== undefined)) {
    throw new CommandError(exitCodes.usage, 'Give the backup, --input <file>; or on PostgreSQL --database-is-restored')
  }
  if (input === undefined) return followHere(config, io)
  if (config.databaseUrl !== undefined) throw noFolder()
  const folder = embeddedFolder(config.dataDir)
  if (!existsSync(input)) throw new CommandError(exitCodes.usage, `There is no ${input}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unlock = lock(folder)
  try {
    if (holdsDatabase(folder)) throw occupied(folder)
    await restoreInto(config, folder, input, io)
  } finally {
    removeLeftovers(folder)
    unlock()
  }
  return exitCodes.ok
}

async function restoreInto(config: Config, folder: string, input: string, io: CommandIo): Promise<void> {
  const restoring = openRestoring(folder)
  const accept = (found: BackupManifest) => acceptManifest(config, input, found, io)
  const manifest = await unpackBackup({ input, folder: restoring, accept, signal: io.signal })
  await requireWhole(input, restoring, manifest)
  const connection = await connectEmbedded({ dataDir: restoring }).catch((error: unknown) => {
    throw unfit(error)
  })
  try {
    await makeReady(connection)
  } finally {
    await connection.close()
  }
  io.signal.throwIfAborted()
  putInPlace(folder)
  await io.line(`Restored the database as it was at ${manifest.taken_at}`)
}

/** Of the configured master key, and signed with it unless it is of a time when nothing was. */
async function acceptManifest(config: Config, input: string, manifest: BackupManifest, io: CommandIo): Promise<void> {
  const secrets = await requireMasterKey(config, manifest.master_key_fingerprint)
  if (manifest.mac === undefined) return io.error(unsigned)
  if (!isSigned(secrets, manifest)) throw notWhole(input, 'its manifest was changed after it was signed')
}

/** Brought up to this version first, which refuses a newer one. */
async function makeReady(connection: Connection): Promise<void> {
  try {
    await upgradeDatabase(connection)
    await followRestore(connection)
  } catch (error) {
    throw unfit(error)
  }
}

async function followHere(config: Config, io: CommandIo): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new CommandError(exitCodes.usage, 'The database is embedded: give the backup, --input <file>')
  }
  const connection = await openDatabase(config)
  try {
    const processes = await listProcesses(connection)
    if (processes.length > 0) throw inUse(processes)
    await makeReady(connection)
  } finally {
    await connection.close()
  }
  await io.line('The database is ready: start Muster')
  return exitCodes.ok
}

function lock(folder: string): () => void {
  try {
    return lockFolder(folder)
  } catch (error) {
    throw new CommandError(exitCodes.database, error instanceof Error ? error.message : String(error))
  }
}

/** Asked for before a key would be made, which could open nothing. */
async function requireMasterKey(config: Config, noted: string): Promise<Secrets> {
  const file = masterKeyFile(config.dataDir)
  const isThere = config.masterKey !== undefined || existsSync(file)
  if (!isThere) throw otherKey(`The backup was taken with the master key ${noted}, and there is no ${file}`)
  const secrets = openSecrets(await openMasterKey(config))
  if (secrets.fingerprint === noted) return secrets
  throw otherKey(`The backup was taken with the master key ${noted}, but the configured one is ${secrets.fingerprint}`)
}

const unsigned =
  'Warning: the backup is not signed with the master key, as those of earlier versions are not, so it cannot be told ' +
  'whether someone has changed it. Do not use what it restores unless you trust the place where it was kept'

/** What the database says is of whoever made the backup. */
function unfit(error: unknown): CommandError {
  const reason = plainText(error instanceof Error ? error.message : String(error))
  return new CommandError(exitCodes.database, `${reason}. Nothing was restored`, { cause: error })
}

const otherKey = (reason: string): CommandError =>
  new CommandError(
    exitCodes.configuration,
    `${reason} (fingerprints): set MUSTER_MASTER_KEY to the former, or restore master.key in the data folder`,
  )

const occupied = (folder: string): CommandError =>
  new CommandError(
    exitCodes.failure,
    `${folder} holds a database already: move it away first, such as with mv ${folder} ${folder}.old`,
  )

/** Whoever delivers has events in memory under the names that they had, and would note others as delivered. */
const inUse = (processes: readonly string[]): CommandError =>
  new CommandError(
    exitCodes.database,
    `The database is in use by ${processes.join(', ')}: stop every process of Muster, then run this again`,
  )
