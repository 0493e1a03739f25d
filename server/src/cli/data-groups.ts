import { keyGroup, signingKeyGroup } from './commands/key-group.ts'
import type { DataCommand } from './data-command.ts'
import type { CommandGroup } from './describe-commands.ts'

type DataGroup = { group: CommandGroup; load(): Promise<Readonly<Record<string, DataCommand>>> }

/** All groups of commands on data, in the order of the help, with what runs them. */
export const dataGroups: readonly DataGroup[] = [
  { group: keyGroup, load: async () => (await import('./commands/key-commands.ts')).keyCommands },
  { group: signingKeyGroup, load: async () => (await import('./commands/signing-key-commands.ts')).signingKeyCommands },
]
