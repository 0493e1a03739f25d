import { linuxTables } from './linux/linux-tables.ts'
import { findOsqueryi } from './sql/osqueryi-runner.ts'

export type AgentDescription = {
  /** What answers SQL here: the agent's own tables, an installed osquery, or nothing. */
  engine: 'own tables' | 'osqueryi' | 'none'
  /** Tables that are read, in alphabetical order; empty when osqueryi answers. */
  collected: string[]
  /** Tables of this platform that exist but are not read, and why. */
  notCollected: { table: string; reason: string }[]
  /** What a reader of the start banner should know beside the lists. */
  notes: string[]
}

/** What this agent can read on `platform` as user `uid` (undefined where there are none). */
export function describeAgent(
  platform: NodeJS.Platform = process.platform,
  uid: number | undefined = process.getuid?.(),
): AgentDescription {
  if (platform !== 'linux') return describeOsqueryi(platform)
  const asked = linuxTables.map((table) => ({ table: table.name, reason: table.notCollected?.(uid) }))
  const sorted = asked.sort((one, other) => (one.table < other.table ? -1 : 1))
  return {
    engine: 'own tables',
    collected: sorted.filter((each) => each.reason === undefined).map((each) => each.table),
    notCollected: sorted.flatMap(({ table, reason }) =>
      reason === undefined || reason.startsWith('a table of ') ? [] : [{ table, reason }],
    ),
    notes: [
      "This is a stand-in for osquery (osquery_info.version '0-standin').",
      ...(uid === 0
        ? []
        : ["Without root, a query that meets another user's unreadable files is answered 'not collected'."]),
    ],
  }
}

function describeOsqueryi(platform: NodeJS.Platform): AgentDescription {
  const path = findOsqueryi(platform)
  const notes = path
    ? [`Queries are answered by ${path}.`]
    : ['osquery is not installed: on macOS and Windows this agent asks osqueryi, so install osquery first.']
  return { engine: path ? 'osqueryi' : 'none', collected: [], notCollected: [], notes }
}
