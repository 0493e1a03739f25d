import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { type Config, loadConfig } from '../../base/config/load-config.ts'
import { masterKeyFile, openMasterKey } from '../../base/config/master-key.ts'
import { type Connection, connectEmbedded } from '../../base/db/connect.ts'
import { holdsDatabase, openRestoring, putInPlace, removeLeftovers } from '../../base/db/embedded/folder-copies.ts'
import { lockFolder } from '../../base/db/embedded/lock-file.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { embeddedFolder, listProcesses } from '../../open-deployment.ts'
import { upgradeDatabase } from '../../upgrade-database.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { noFolder } from '../commands/backup-command.ts'
import type { CommandIo } from '../data-command.ts'
import { openDatabase } from '../open-database.ts'
import { followRestore } from './follow-restore.ts'
import { requireWhole, unpackBackup } from './unpack-backup.ts'

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
  const manifest = await unpackBackup({ input, folder: restoring, signal: io.signal })
  await requireMasterKey(config, manifest.master_key_fingerprint)
  await requireWhole(input, restoring, manifest)
  const connection = await connectEmbedded({ dataDir: restoring })
  try {
    await makeReady(connection)
  } finally {
    await connection.close()
  }
  io.signal.throwIfAborted()
  putInPlace(folder)
  await io.line(`Restored the database as it was at ${manifest.taken_at}`)
}

/** Brought up to this version first, which refuses a newer one. */
async function makeReady(connection: Connection): Promise<void> {
  try {
    await upgradeDatabase(connection)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.database, `${reason}. Nothing was restored`, { cause: error })
  }
  await followRestore(connection)
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
async function requireMasterKey(config: Config, noted: string): Promise<void> {
  const file = masterKeyFile(config.dataDir)
  const isThere = config.masterKey !== undefined || existsSync(file)
  if (!isThere) throw otherKey(`The backup was taken with the master key ${noted}, and there is no ${file}`)
  const { fingerprint } = openSecrets(await openMasterKey(config))
  if (fingerprint === noted) return
  throw otherKey(`The backup was taken with the master key ${noted}, but the configured one is ${fingerprint}`)
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
