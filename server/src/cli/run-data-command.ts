import { systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/load-config.ts'
import { callCommandSocket } from './call-command-socket.ts'
import { exitCodes } from './command-error.ts'
import { socketPath } from './command-socket.ts'
import type { CommandIo, DataCommand } from './data-command.ts'
import { openInstallation } from './open-database.ts'
import { requireFitting } from './require-fitting.ts'

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
  requireFitting(command.args, args)
  if (config.databaseUrl === undefined) {
    const call = { name: command.name, args, readsInput: command.readsInput ?? false }
    const exit = await callCommandSocket(socketPath(config.dataDir), call, io)
    if (exit !== undefined) return exit
  }
  const now = systemClock()
  const { connection, secrets } = await openInstallation(config, {
    claimedAt: command.bringsMasterKey ? undefined : now,
    takesOlderTables: command.takesOlderTables ?? false,
  })
  try {
    return (await command.run({ connection, secrets, config, now }, args, io)) ?? exitCodes.ok
  } finally {
    await connection.close()
  }
}
