import type { Command } from 'commander'
import { statusDescription } from '../commands/status-description.ts'
import { runOnData, type Shell } from './shell.ts'
import { takeDescribed } from './take-described.ts'

export function addStatus(program: Command, shell: Shell): void {
  takeDescribed(program.command(statusDescription.words), statusDescription, ({ args }) =>
    runOnData(shell, async () => (await import('../commands/status-command.ts')).statusCommand, args),
  )
}
