import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'

export type Column = { name: string; type: string }
export type Table = { name: string; columns: Column[]; key: string[]; parents: string[]; sequences: Sequence[] }
export type Sequence = { column: string; name: string }

/** The list of migrations, and what is there again once the runtimes of packages are added again. */
const leftOut = ['schema_migrations', 'package_runtimes', 'package_runtime_pieces', 'package_parts']

/**
 * Every table that makes up a deployment, parents before children, as the database describes itself: a new table
 * needs no mention here. Left out: the list of migrations, unlogged tables, other schemas (the job queue), columns of
 * transaction numbers, which mean nothing in another database, and the runtimes of packages with what scripts fetch of them.
 */
export async function readCatalog(tx: Tx): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select c.relname as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
          order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          and a.atttypid <> 'xid8'::regtype) as columns,
      coalesce((select json_agg(a.attname order by array_position(i.indkey::int2[], a.attnum))
        from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary), '[]') as key,
      coalesce((select json_agg(distinct r.relname)
        from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f'), '[]') as parents,
      coalesce((select json_agg(json_build_object('column', a.attname,
          'name', pg_get_serial_sequence(quote_ident(c.relname), a.attname)) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attidentity <> ''), '[]') as sequences
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and c.relname <> all(${leftOut}::text[])
    order by c.relname`.execute(tx)
  const keyless = rows.filter(({ key }) => key.length === 0).map(({ name }) => name)
  if (keyless.length > 0) throw new Error(`Tables without a primary key cannot be transferred: ${keyless.join(', ')}`)
  return parentsFirst(rows)
}

export function parentsFirst(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const waiting = [...tables]
  while (waiting.length > 0) {
    const ready = waiting.filter(
      ({ parents }) => !parents.some((parent) => waiting.some(({ name }) => name === parent)),
    )
    if (ready.length === 0) {
      throw new Error(`Tables that refer to each other in a circle: ${waiting.map(({ name }) => name).join(', ')}`)
    }
    ordered.push(...ready)
    for (const table of ready) waiting.splice(waiting.indexOf(table), 1)
  }
  return ordered
}

export type SchemaVersion = { version: number; checksum: string }

/** Equal for databases with the same tables. */
export async function readSchemaVersion(tx: Tx): Promise<SchemaVersion> {
  const { rows } = await sql<SchemaVersion>`
    select coalesce(max(version), 0) as version,
      encode(sha256(convert_to(coalesce(string_agg(name || ' ' || checksum, E'\n' order by version), ''), 'UTF8')), 'hex')
        as checksum
    from schema_migrations`.execute(tx)
  return rows[0] ?? { version: 0, checksum: '' }
}
