import { open, rm } from 'node:fs/promises'
import { CommandError, type ExitCode, exitCodes } from '../command-error.ts'
import type { DataCommand } from '../data-command.ts'
import { runOnData, type Shell } from './shell.ts'

export type Into = {
  path: string
  /** What the command writes its data as. */
  encoding?: BufferEncoding
  /** Of a file that cannot be made. */
  exitCode?: ExitCode
  /** A line for the terminal once the file is whole. */
  note?: string
}

/** Runs a command whose data goes into a new file of this user alone, made first. Leaves the whole file or none. */
export async function runIntoFile(
  shell: Shell,
  { path, encoding = 'utf8', exitCode = exitCodes.failure }: Into,
  load: () => Promise<DataCommand>,
  args: Record<string, unknown> = {},
): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCode, `Cannot make ${path}: ${error.message}`)
  })
  const write = async (text: string) => void (await file.writeFile(Buffer.from(text, encoding)))
  try {
    shell.exitCode = exitCodes.failure
    await runOnData(shell, load, args, { ...shell.io, write })
    await file.sync()
  } finally {
    await file.close()
    if (shell.exitCode !== exitCodes.ok) await rm(path, { force: true })
  }
}
