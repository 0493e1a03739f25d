import type { Static, TSchema } from 'typebox'
import type { Config } from '../base/config/load-config.ts'
import type { Connection } from '../base/db/connect.ts'
import type { Secrets } from '../base/secrets/secrets.ts'

export type CommandContext = {
  connection: Connection
  secrets: Secrets
  config: Config
  /** When the command began. */
  now: string
}

/** The terminal, or the socket that leads to it. Every write resolves when there is room for more. */
export type CommandIo = {
  /** Text as it is, for data. */
  write(text: string): Promise<void>
  /** One line of an answer. */
  line(text: string): Promise<void>
  /** One line that is not part of the answer. */
  error(text: string): Promise<void>
  /** Standard input; empty unless the command reads it. */
  input: AsyncIterable<Uint8Array>
  /** Aborted when the caller is gone. */
  signal: AbortSignal
}

/**
 * A command on the data of an installation. It runs in the process that has the database open: here on PostgreSQL or
 * on an embedded database that nobody uses, else in the running server, which only has the name and the arguments.
 */
export type DataCommand<Args extends TSchema = TSchema> = {
  name: string
  /** JSON, because it may travel. */
  args: Args
  readsInput?: boolean
  /** It brings the note of its master key along, for a database that is empty but may have been noted another's. */
  bringsMasterKey?: boolean
  /** It leaves the tables of an older version as they are: what is backed up before an upgrade is not upgraded. */
  takesOlderTables?: boolean
  /** Resolves to an exit code, or to nothing for success. Throw a CommandError to refuse. */
  run(context: CommandContext, args: Static<Args>, io: CommandIo): Promise<number | undefined>
}

/** Gives `run` the type of its arguments. */
export function defineCommand<Args extends TSchema>(command: DataCommand<Args>): DataCommand<Args> {
  return command
}
