import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { masterKeyFile } from '../../base/config/master-key.ts'
import { holdsDatabase } from '../../base/db/embedded/folder-copies.ts'
import { embeddedFolder } from '../../open-deployment.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { backupCommand, noFolder } from '../commands/backup-command.ts'
import { configOf, runOnData, type Shell } from './shell.ts'

/** Writes a backup to a new file of this user alone, which has its name once it is whole and on the disk. */
export async function backUp(shell: Shell, path: string): Promise<void> {
  const config = configOf(shell)
  if (config.databaseUrl !== undefined) throw noFolder()
  const folder = embeddedFolder(config.dataDir)
  if (!holdsDatabase(folder)) throw new CommandError(exitCodes.notFound, `There is no database in ${folder}`)
  if (existsSync(path)) throw taken(path)
  const draft = `${path}.${randomBytes(4).toString('hex')}.partial`
  const file = await open(draft, 'wx', 0o600).catch((error: Error) => {
    throw new CommandError(exitCodes.failure, `Cannot make ${path}: ${error.message}`)
  })
  try {
    const bytes = await fill(shell, file)
    if (shell.exitCode !== exitCodes.ok) return
    await putInPlace(draft, path)
    await shell.io.line(`Wrote ${path}, ${(bytes / 1e6).toFixed(1)} MB`)
    const place = config.masterKey ? 'MUSTER_MASTER_KEY' : masterKeyFile(config.dataDir)
    await shell.io.line(`The master key is not in it. It is ${place}: keep it, and keep it apart`)
  } finally {
    await rm(draft, { force: true })
  }
}

async function fill(shell: Shell, file: FileHandle): Promise<number> {
  let bytes = 0
  const write = async (text: string) => {
    const piece = Buffer.from(text, 'base64')
    await file.writeFile(piece)
    bytes += piece.length
  }
  try {
    await runOnData(shell, async () => backupCommand, {}, { ...shell.io, write })
    await file.sync()
  } finally {
    await file.close()
  }
  return bytes
}

/** Linked, because renaming would replace a file that was made meanwhile. */
async function putInPlace(draft: string, path: string): Promise<void> {
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? taken(path) : error
  })
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const taken = (path: string) => new CommandError(exitCodes.failure, `${path} exists already: give a new name`)
