import { columns, type Table } from '../tables/table.ts'
import { readMachineIdentity } from './machine.ts'

/** The version says what this is: a stand-in, never osquery. */
export const standInVersion = '0-standin'

export const osqueryInfo: Table = {
  name: 'osquery_info',
  columns: columns(`pid:integer uuid instance_id version config_hash config_valid:integer extensions build_platform
    build_distro start_time:integer watcher:integer platform_mask:integer`),
  *collect(_constraints, { facts }) {
    yield {
      pid: facts.pid,
      uuid: readMachineIdentity(),
      instance_id: facts.instanceId,
      version: standInVersion,
      config_hash: facts.configHash,
      config_valid: facts.configValid ? 1 : 0,
      extensions: 'inactive',
      build_platform: 'standin',
      build_distro: 'standin',
      start_time: facts.startedAtUnix,
      watcher: -1,
      platform_mask: 9,
    }
  },
}

export const osqueryFlags: Table = {
  name: 'osquery_flags',
  columns: columns('name type description default_value value shell_only:integer'),
  *collect(_constraints, { facts }) {
    for (const [name, value] of Object.entries(facts.flags)) {
      yield { name, type: 'string', description: '', default_value: '', value, shell_only: 0 }
    }
  },
}

export const osquerySchedule: Table = {
  name: 'osquery_schedule',
  columns: columns(`name query interval:integer executions:bigint last_executed:bigint denylisted:integer
    output_size:bigint wall_time:bigint wall_time_ms:bigint last_wall_time_ms:bigint user_time:bigint
    last_user_time:bigint system_time:bigint last_system_time:bigint average_memory:bigint last_memory:bigint`),
  *collect(_constraints, { facts }) {
    for (const entry of facts.schedule) {
      yield {
        name: entry.name,
        query: entry.query,
        interval: entry.intervalSeconds,
        executions: entry.executions,
        last_executed: entry.lastExecutedUnix,
        denylisted: 0,
        output_size: entry.outputBytes,
        wall_time: Math.floor(entry.wallTimeMs / 1000),
        wall_time_ms: entry.wallTimeMs,
        last_wall_time_ms: entry.lastWallTimeMs,
        user_time: Math.round(entry.userMs),
        last_user_time: Math.round(entry.lastUserMs),
        system_time: Math.round(entry.systemMs),
        last_system_time: Math.round(entry.lastSystemMs),
        average_memory: Math.round(entry.memoryBytes / Math.max(1, entry.executions)),
        last_memory: entry.lastMemoryBytes,
      }
    }
  },
}

/** The registry lists the tables that exist; `active` says whether this agent's platform has them. */
export function osqueryRegistry(here: string[], elsewhere: string[]): Table {
  return {
    name: 'osquery_registry',
    columns: columns('registry name owner_uuid:integer internal:integer active:integer'),
    *collect() {
      for (const name of [...here, 'osquery_registry']) {
        yield { registry: 'table', name, owner_uuid: 0, internal: 0, active: 1 }
      }
      for (const name of elsewhere) yield { registry: 'table', name, owner_uuid: 0, internal: 0, active: 0 }
    },
  }
}
