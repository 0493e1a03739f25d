import { databaseFactsCommand } from './commands/database-facts-command.ts'
import { exportCommand } from './commands/export-command.ts'
import { importCommand } from './commands/import-command.ts'
import { prepareSignInsCommand } from './commands/prepare-sign-ins-command.ts'
import { simulateRequestsCommand } from './commands/simulate-requests-command.ts'
import type { DataCommand } from './data-command.ts'
import { dataGroups } from './data-groups.ts'

/** Those that other commands of the terminal run. */
const inner: readonly DataCommand[] = [
  databaseFactsCommand,
  exportCommand,
  importCommand,
  prepareSignInsCommand,
  simulateRequestsCommand,
]

/** What a running server offers through its socket. */
export async function loadDataCommands(): Promise<DataCommand[]> {
  const groups = await Promise.all(dataGroups.flatMap(({ load }) => load.map((loadPart) => loadPart())))
  return [...inner, ...groups.flatMap((commands) => Object.values(commands))]
}
