import type { Answer } from '../wire.ts'

/** The log between two checkpoints: what a start after a crash has to read again, and room it takes on disk. */
const checkpointAfterBytes = 64 * 2 ** 20

/**
 * The engine runs without the server's background processes: nobody else makes checkpoints (so the write-ahead log
 * would grow for ever), removes dead rows, keeps the planner's statistics, or freezes old transaction numbers.
 */
export function checkpointer(writtenBytes: () => number, execute: (sql: string) => void) {
  let atLastCheckpoint = writtenBytes()
  return {
    /** Call between transactions. */
    afterStatement(): void {
      if (writtenBytes() - atLastCheckpoint < checkpointAfterBytes) return
      execute('checkpoint')
      atLastCheckpoint = writtenBytes()
    },
  }
}

/** Autovacuum's own thresholds; the worst table first, and one at a time, because it holds up everything else. */
const mostNeglected = `
  select format('%s %I.%I', case
      when age(c.relfrozenxid) > 200000000 then 'vacuum (freeze)'
      when s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) then 'vacuum (analyze)'
      when s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0) then 'vacuum (analyze)'
      else 'analyze' end, s.schemaname, s.relname) as command
  from pg_stat_all_tables s join pg_class c on c.oid = s.relid
  where c.relkind in ('r', 'm') and c.relpersistence <> 't' and (
    age(c.relfrozenxid) > 200000000
    or s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
    or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)
    or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0))
  order by age(c.relfrozenxid) > 200000000 desc, s.n_dead_tup + s.n_mod_since_analyze desc
  limit 1`

/** Does the most needed piece of upkeep, between transactions. Returns the command, or undefined when all is well. */
export function maintainOneTable(execute: (sql: string) => Answer): string | undefined {
  const command = execute(mostNeglected).results[0]?.rows[0]?.['command']
  if (typeof command !== 'string') return undefined
  execute(command)
  return command
}
