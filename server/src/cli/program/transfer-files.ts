import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { CommandError, exitCodes } from '../command-error.ts'
import { exportCommand } from '../commands/export-command.ts'
import { importCommand } from '../commands/import-command.ts'
import { runOnData, type Shell } from './shell.ts'

export const exportToTerminal = (shell: Shell): Promise<void> => runOnData(shell, async () => exportCommand, {})

/** Leaves a whole export or none. */
export async function exportToFile(shell: Shell, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.failure, `Cannot make ${path}: ${error.message}`)
  })
  const write = async (text: string) => void (await file.writeFile(text))
  try {
    shell.exitCode = exitCodes.failure
    await runOnData(shell, async () => exportCommand, {}, { ...shell.io, write })
    await file.sync()
  } finally {
    await file.close()
    if (shell.exitCode !== exitCodes.ok) await rm(path, { force: true })
  }
}

export const importFromTerminal = (shell: Shell): Promise<void> => runOnData(shell, async () => importCommand, {})

export async function importFromFile(shell: Shell, path: string): Promise<void> {
  const input = createReadStream(path, { signal: shell.io.signal })
  await runOnData(shell, async () => importCommand, {}, { ...shell.io, input })
}
