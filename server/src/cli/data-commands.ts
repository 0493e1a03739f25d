import { exportCommand } from './commands/export-command.ts'
import { importCommand } from './commands/import-command.ts'
import type { DataCommand } from './data-command.ts'

/** What a running server offers through its socket. */
export const dataCommands: readonly DataCommand[] = [exportCommand, importCommand]
