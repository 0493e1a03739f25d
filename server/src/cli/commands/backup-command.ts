import Type from 'typebox'
import { readLastMigration } from '../../base/db/migrate.ts'
import { ownVersion } from '../../http/own-version.ts'
import { backupFormat } from '../backup/backup-format.ts'
import { packBackup } from '../backup/pack-backup.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'

/** Writes the bytes of a backup as base64, a piece at a time. */
export const backupCommand = defineCommand({
  name: 'backup',
  args: Type.Object({}),
  takesOlderTables: true,
  async run({ connection, secrets, now }, _args, io) {
    const { withCopy } = connection
    if (!withCopy) throw noFolder()
    const facts = {
      format: backupFormat,
      version: 1,
      muster: ownVersion,
      last_migration: await readLastMigration(connection),
      taken_at: now,
      master_key_fingerprint: secrets.fingerprint,
    } as const
    await withCopy(async ({ folder, tookMs }) => {
      for await (const piece of packBackup(folder, facts, secrets)) await io.write(piece.toString('base64'))
      await io.error(`The copy paused the database for ${(tookMs / 1_000).toFixed(1)} s`)
    })
  },
})

/** Why `muster backup` and `muster restore` do nothing on PostgreSQL. */
export const noFolder = (): CommandError =>
  new CommandError(
    exitCodes.usage,
    'The database is on PostgreSQL, which is backed up by its own tools: see deploy/postgres/backup.sh and restore.sh',
  )
