import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/load-config.ts'
import { callCommandSocket } from './call-command-socket.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { socketPath } from './command-socket.ts'
import type { CommandIo, DataCommand } from './data-command.ts'
import { openInstallation } from './open-database.ts'

/**
 * Runs the command where the data is: in the running server of an embedded database, because one process alone may
 * have that open, else here. Resolves to the exit code. Arguments that do not fit are a CommandError.
 */
export async function runDataCommand(
  config: Config,
  command: DataCommand,
  args: unknown,
  io: CommandIo,
): Promise<number> {
  if (!Check(command.args, args)) throw new CommandError(exitCodes.usage, faultsOf(command.args, args))
  if (config.databaseUrl === undefined) {
    const call = { name: command.name, args, readsInput: command.readsInput ?? false }
    const exit = await callCommandSocket(socketPath(config.dataDir), call, io)
    if (exit !== undefined) return exit
  }
  const now = systemClock()
  const { connection, secrets } = await openInstallation(config, command.bringsMasterKey ? undefined : now)
  try {
    return (await command.run({ connection, secrets, config, now }, args, io)) ?? exitCodes.ok
  } finally {
    await connection.close()
  }
}

function faultsOf(schema: TSchema, args: unknown): string {
  const faults = Errors(schema, args).map(({ instancePath, message, params }) => {
    const choices = 'allowedValues' in params && Array.isArray(params.allowedValues) ? params.allowedValues : []
    const allowed = choices.length > 0 ? `: ${choices.join(', ')}` : ''
    return `error: ${instancePath.slice(1).replaceAll('/', ' ')} ${message}${allowed}`
  })
  return [...new Set(faults)].join('\n')
}
