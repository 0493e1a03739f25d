import { newAgentFacts } from '../protocol/agent-state.ts'
import { findShell, type InstalledShell } from './installed-shell.ts'
import { linkFolder } from './link-file.ts'
import { isOfEvents, osqueryShell } from './osquery-shell.ts'
import { readHardware } from './read-hardware.ts'
import { type CompanionOptions, runCompanion } from './run-companion.ts'

type Given = 'server' | 'enrollSecret' | 'caFile' | 'stateFile' | 'isNewKeyWanted' | 'log' | 'signal'

type Options = Pick<CompanionOptions, Given> & {
  /** osquery's shell; looked for at its usual places and then on PATH when not given. */
  osqueryi?: string | InstalledShell
  /** What osqueryd reads its flags from; at its usual place when not given. */
  flagFile?: string
  linkFolder?: string
}

/** Runs the companion beside osqueryd until `signal` aborts. Rejects where osquery's shell is not installed. */
export async function runInstalledCompanion({ osqueryi, flagFile, ...options }: Options): Promise<void> {
  const found = typeof osqueryi === 'string' ? { path: osqueryi, flags: [] } : (osqueryi ?? findShell())
  if (!found) throw new Error('osquery is not installed; the companion asks osqueryi. Give --osqueryi <file>.')
  const shell = osqueryShell(found, flagFile)
  const facts = newAgentFacts()
  const ask = (sql: string) => shell.run(sql, facts)
  await runCompanion({
    ...options,
    linkFolder: options.linkFolder ?? linkFolder(process.platform),
    hardware: () => readHardware(ask),
    async run(sql) {
      if (isOfEvents(sql)) return undefined
      const answer = await ask(sql)
      // A table of an extension, which the daemon has and its shell may not have.
      return !answer.ok && answer.message.includes('no such table') ? undefined : answer
    },
  })
}
