import type { InventoryTable } from '../../src/reporting/reporting-table.ts'

/** The view of an inventory table, as a migration has to make it. */
export function inventoryViewSql({ name, columns }: InventoryTable, schema = 'reporting'): string {
  const values = columns.map((column) =>
    column.type === 'integer'
      ? `  reporting.whole_number(r.content ->> '${column.name}') as ${column.name}`
      : `  r.content ->> '${column.name}' as ${column.name}`,
  )
  return `create view ${schema}.${name} with (security_barrier) as
select d.id as device_id, d.name as device_name, s.taken_at,
${values.join(',\n')}
from device_snapshot_rows as r
join devices as d on d.organization_id = r.organization_id and d.id = r.device_id and d.deleted_at is null
left join device_snapshots as s on s.organization_id = r.organization_id and s.device_id = r.device_id
  and s.reporting_table = r.reporting_table
where r.organization_id = reporting.current_organization() and r.reporting_table = '${name}';
`
}
