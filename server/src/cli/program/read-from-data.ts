import { CommandError, type ExitCode, exitCodes } from '../command-error.ts'
import type { CommandIo, DataCommand } from '../data-command.ts'
import { runOnData, type Shell } from './shell.ts'

/** What a command writes, for another that reads it. Where it fails, its own words are thrown. */
export async function readFromData(
  shell: Shell,
  load: () => Promise<DataCommand>,
  args: Record<string, unknown>,
): Promise<string> {
  const written: string[] = []
  const said: string[] = []
  const io: CommandIo = {
    ...shell.io,
    write: async (text) => void written.push(text),
    line: async (text) => void written.push(`${text}\n`),
    error: async (text) => void said.push(text),
  }
  await runOnData(shell, load, args, io)
  if (shell.exitCode !== exitCodes.ok) throw new CommandError(shell.exitCode as ExitCode, said.join('\n'))
  for (const text of said) await shell.io.error(text)
  return written.join('')
}
