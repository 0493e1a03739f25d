import type { ReportedFacts } from '../inventory/devices/follow-reported-facts.ts'
import {
  agentVersionOf,
  computerNameOf,
  hardwareModelOf,
  operatingSystemOf,
} from '../inventory/devices/osquery-fact-rules.ts'
import type { Snapshot } from './read-snapshot.ts'

type Row = Readonly<Record<string, string>>

type Told = { [Fact in keyof ReportedFacts]: string | null }

const factsOfTable: Readonly<Record<string, (row: Row) => Told>> = {
  device_os_version: (row) => ({ operating_system: operatingSystemOf(row) }),
  device_osquery_info: (row) => ({ agent_version: agentVersionOf(row) }),
  device_system_info: (row) => ({ name: computerNameOf(row), hardware_model: hardwareModelOf(row) }),
}

/** What snapshots say about the device itself; what a snapshot leaves empty is left out. */
export function reportedFacts(snapshots: readonly Snapshot[]): ReportedFacts {
  const told = snapshots.flatMap(({ table, rows: [row] }) => {
    const read = factsOfTable[table.name]
    return row && read ? Object.entries(read(row)) : []
  })
  return Object.fromEntries(told.filter(([, value]) => value))
}
