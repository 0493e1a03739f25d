import { createReadStream } from 'node:fs'
import { exportCommand } from '../commands/export-command.ts'
import { importCommand } from '../commands/import-command.ts'
import { runIntoFile } from './run-into-file.ts'
import { runOnData, type Shell } from './shell.ts'

export const exportToTerminal = (shell: Shell): Promise<void> => runOnData(shell, async () => exportCommand, {})

export const exportToFile = (shell: Shell, path: string): Promise<void> =>
  runIntoFile(shell, { path }, async () => exportCommand)

export const importFromTerminal = (shell: Shell): Promise<void> => runOnData(shell, async () => importCommand, {})

export async function importFromFile(shell: Shell, path: string): Promise<void> {
  const input = createReadStream(path, { signal: shell.io.signal })
  await runOnData(shell, async () => importCommand, {}, { ...shell.io, input })
}
