import { type Config, loadConfig } from '../../base/config/load-config.ts'
import type { CommandIo, DataCommand } from '../data-command.ts'

/** What the commands of one invocation share. */
export type Shell = {
  env: NodeJS.ProcessEnv
  io: CommandIo
  /** Set by the command that ran. */
  exitCode: number
}

export const configOf = ({ env }: Shell): Config => loadConfig(env)

/** For every command that concerns one organization. */
export const organizationFlag = ['-o, --organization <id or name>', 'which one, where there are several'] as const

/** Runs a command on the data of the configured installation. Loaded late: the engines are most of a start. */
export async function runOnData(
  shell: Shell,
  load: () => Promise<DataCommand>,
  args: Record<string, unknown>,
  io: CommandIo = shell.io,
): Promise<void> {
  const config = configOf(shell)
  const { runDataCommand } = await import('../run-data-command.ts')
  shell.exitCode = await runDataCommand(config, await load(), args, io)
}
