import { once } from 'node:events'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/load-config.ts'
import { createLogger, type Logger } from '../base/logging.ts'
import { isConsoleBuilt } from '../http/console-pages.ts'
import { type Server, type ServerParts, startServer } from '../main.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { openCommandSocket } from './command-socket.ts'
import { backupCommand } from './commands/backup-command.ts'
import { databaseFactsCommand } from './commands/database-facts-command.ts'
import { exportCommand } from './commands/export-command.ts'
import { importCommand } from './commands/import-command.ts'
import { prepareSignInsCommand } from './commands/prepare-sign-ins-command.ts'
import { simulateRequestsCommand } from './commands/simulate-requests-command.ts'
import { statusCommand } from './commands/status-command.ts'
import type { CommandIo, DataCommand } from './data-command.ts'
import { dataGroups } from './data-groups.ts'

type Roles = ServerParts['roles']

/** Those of no group. */
const inner: readonly DataCommand[] = [
  backupCommand,
  databaseFactsCommand,
  exportCommand,
  importCommand,
  prepareSignInsCommand,
  simulateRequestsCommand,
  statusCommand,
]

/** Serves until interrupted, logging to standard output. */
export async function runServer(config: Config, roles: Roles, io: CommandIo): Promise<void> {
  const log = createLogger(config.logLevel)
  const server = await openServer({ config, roles, clock: systemClock, log })
  try {
    log.info({ address: server.address, base_url: config.baseUrl, roles }, 'started')
    if (roles.api && !isConsoleBuilt()) log.warn('The console is not built: npm run build -w console')
    if (server.needsFirstAdmin) {
      log.warn(
        'Nobody can sign in to the console yet. Run `muster organizations create` if there is no organization, then `muster admins first-link` for a one-time link.',
      )
    }
    await untilAborted(io.signal)
    log.info('stopping')
  } finally {
    await server.stop()
  }
}

/** Nobody can sign in yet: the reader of the terminal becomes the first administrator. */
export function sayHowToBegin({ firstRun }: Pick<Server, 'firstRun'>): string[] {
  if (!firstRun) return []
  return [
    'Nobody can sign in to the console yet. Become the first administrator; the link is good once, for a day:',
    `  ${firstRun.url}`,
  ]
}

/** A started server, with its command socket where the database is embedded; a CommandError tells why it cannot be. */
export async function openServer(parts: ServerParts): Promise<Server> {
  const { config, log } = parts
  const server = await startServer(parts).catch(explainStart)
  if (config.databaseUrl !== undefined) return server
  const socket = await offerCommands(server, config, log)
  return {
    ...server,
    async stop() {
      await socket?.close()
      await server.stop()
    },
  }
}

async function offerCommands({ deployment }: Server, config: Config, log: Logger) {
  const context = () => ({ ...deployment, config, now: systemClock() })
  try {
    return await openCommandSocket({ dataDir: config.dataDir, commands: await loadDataCommands(), context })
  } catch (error) {
    // The API works without it; only commands beside the running server do not.
    log.error({ err: error }, 'The command socket cannot be opened')
    return undefined
  }
}

/** What a running server offers through its socket. */
async function loadDataCommands(): Promise<DataCommand[]> {
  const groups = await Promise.all(dataGroups.flatMap(({ load }) => load.map((loadPart) => loadPart())))
  return [...inner, ...groups.flatMap((commands) => Object.values(commands))]
}

function explainStart(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE' || code === 'EACCES') {
    throw new CommandError(exitCodes.failure, `Cannot listen: ${error.message}. Choose another PORT`, { cause: error })
  }
  if (error.name === 'ConfigError') throw error
  throw new CommandError(exitCodes.database, `Cannot start: ${error.message || error.name}`, { cause: error })
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
