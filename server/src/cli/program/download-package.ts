import { open, rm } from 'node:fs/promises'
import { CommandError, exitCodes } from '../command-error.ts'
import { downloadPackageCommand } from '../commands/package-commands.ts'
import { runOnData, type Shell } from './shell.ts'

/** Leaves the whole file or none. */
export async function downloadPackageToFile(shell: Shell, path: string, args: Record<string, unknown>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.failure, `Cannot make ${path}: ${error.message}`)
  })
  const write = async (text: string) => void (await file.writeFile(Buffer.from(text, 'base64')))
  try {
    shell.exitCode = exitCodes.failure
    await runOnData(shell, async () => downloadPackageCommand, args, { ...shell.io, write })
    await file.sync()
  } finally {
    await file.close()
    if (shell.exitCode !== exitCodes.ok) await rm(path, { force: true })
  }
}
