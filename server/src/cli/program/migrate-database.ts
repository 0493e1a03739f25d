import type { Config } from '../../base/config/load-config.ts'
import { pendingMigrations } from '../../base/db/migrate.ts'
import { upgradeDatabase } from '../../upgrade-database.ts'
import { exitCodes } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import { openDatabase, requireWrites } from '../open-database.ts'

/** Applies what is missing, the tables of the job queue included. */
export async function migrateDatabase(config: Config, io: CommandIo): Promise<number> {
  const connection = await openDatabase(config)
  try {
    if ((await pendingMigrations(connection)).length > 0) await requireWrites(connection)
    const { applied } = await upgradeDatabase(connection)
    for (const name of applied) await io.line(`Applied ${name}`)
    if (applied.length === 0) await io.line('The database is up to date')
    return exitCodes.ok
  } finally {
    await connection.close()
  }
}

/** One line for each migration that is missing. */
export async function listPending(config: Config, io: CommandIo): Promise<number> {
  const connection = await openDatabase(config)
  try {
    const pending = await pendingMigrations(connection)
    for (const name of pending) await io.line(name)
    return pending.length === 0 ? exitCodes.ok : exitCodes.failure
  } finally {
    await connection.close()
  }
}
