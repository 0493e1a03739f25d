import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newAgentFacts } from '../../protocol/agent-state.ts'
import { readState } from '../companion-state.ts'
import { findShellForService, type InstalledShell } from '../installed-shell.ts'
import { osqueryShell } from '../osquery-shell.ts'
import { whoAsks } from '../who-asks.ts'
import { lookAtBrowsers } from './look-at-browsers.ts'
import { lookAtLoopback, lookAtPeople } from './look-at-loopback.ts'
import { lookAtPlaces } from './look-at-places.ts'
import { lookAtService } from './look-at-service.ts'
import { lookAtSystem } from './look-at-system.ts'
import { type Ask, look, type Row } from './row.ts'

export type SelftestOptions = {
  /** Where the companion keeps its key. */
  stateFile: string
  /** Where it places the file that links it; beside its key unless told, as a package has it. */
  linkFolder?: string
  /** osquery's shell; the one that the service takes when not given. */
  osqueryi?: InstalledShell
  platform?: NodeJS.Platform
  /** ISO 8601. */
  now: string
}

/** One look may take this long; they run side by side. */
const limitMs = 45_000

/** Looks at all that the companion of this machine needs, within a minute; it changes nothing, and asks no server. */
export async function runSelftest(options: SelftestOptions): Promise<Row[]> {
  const { stateFile, linkFolder = join(dirname(stateFile), 'link'), platform = process.platform, now } = options
  const shell = options.osqueryi ?? findShellForService(platform)
  const ask = askerOf(shell)
  const state = await readState(stateFile).catch(() => undefined)
  const asking = whoAsks(platform, async (sql) => (shell ? osqueryShell(shell).run(sql, newAgentFacts()) : undefined))
  const looks: [string, Promise<Row[]>][] = [
    ['System', lookAtSystem(ask, shell, state?.checkedIn?.status === 'linked')],
    ['Places', lookAtPlaces(shell && ask, { stateFile, linkFolder })],
    ['Service', lookAtService(platform).then((row) => [row])],
    ['Loopback', lookAtLoopback(state, now)],
    ['People', lookAtPeople(asking)],
    ['Browsers', lookAtBrowsers({ platform, origin: state?.trust?.origin, ask })],
  ]
  return (await Promise.all(looks.map(([what, rows]) => inTime(what, rows)))).flat()
}

function askerOf(shell: InstalledShell | undefined): Ask {
  if (!shell) return async () => undefined
  const { run } = osqueryShell(shell)
  return async (sql) => {
    const answer = await run(sql, newAgentFacts())
    return answer.ok ? answer.rows : undefined
  }
}

/** A look that fails or hangs is a line, and hides no other. */
async function inTime(what: string, rows: Promise<Row[]>): Promise<Row[]> {
  const ending = new AbortController()
  const late = sleep(limitMs, [look(what, `no answer within ${limitMs / 1000} s`)], { signal: ending.signal }).catch(
    () => [],
  )
  const failed = (error: unknown) => [look(what, error instanceof Error ? error.message : String(error))]
  const found = await Promise.race([rows.catch(failed), late])
  ending.abort()
  return found
}
