import type { Static, TSchema } from 'typebox'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/load-config.ts'
import { callCommandSocket } from './call-command-socket.ts'
import { exitCodes } from './command-error.ts'
import { socketPath } from './command-socket.ts'
import type { CommandIo, DataCommand } from './data-command.ts'
import { openInstallation } from './open-database.ts'

/**
 * Runs the command where the data is: in the running server of an embedded database, because one process alone may
 * have that open, else here. Resolves to the exit code.
 */
export async function runDataCommand<Args extends TSchema>(
  config: Config,
  command: DataCommand<Args>,
  args: Static<Args>,
  io: CommandIo,
): Promise<number> {
  if (config.databaseUrl === undefined) {
    const call = { name: command.name, args, readsInput: command.readsInput ?? false }
    const exit = await callCommandSocket(socketPath(config.dataDir), call, io)
    if (exit !== undefined) return exit
  }
  const now = systemClock()
  const { connection, secrets } = await openInstallation(config, now)
  try {
    return (await command.run({ connection, secrets, config, now }, args, io)) ?? exitCodes.ok
  } finally {
    await connection.close()
  }
}
