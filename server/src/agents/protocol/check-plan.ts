import type { Db } from '../../base/db/transact.ts'
import type { OptionDefinitions, OptionValues } from '../../compliance/templates/options.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { listScheduledChecks } from './device-queries.ts'
import type { PlannedCheck } from './due-rules.ts'

/** What the agents of an organization are asked, by check. */
export type CheckPlan = ReadonlyMap<string, PlannedCheck>

/** Loads the plan. Queries made from the same are taken from the plan before, since rendering is the dear part. */
export async function loadPlan(db: Db, organizationId: string, before: CheckPlan | undefined): Promise<CheckPlan> {
  const rows = await listScheduledChecks(db, organizationId)
  return new Map(
    rows.map((row) => {
      const known = before?.get(row.check_id)
      const source = JSON.stringify([row.sql_template, row.option_definitions, row.options])
      const check: PlannedCheck = {
        checkId: row.check_id,
        queryRevision: row.query_revision,
        isUpgradedQuery: row.query_revision === row.upgraded_query_revision,
        intervalMs: row.interval_seconds * 1000,
        source,
        query: known?.source === source ? known.query : renderQuery(row),
      }
      return [row.check_id, check]
    }),
  )
}

type TemplateRow = Awaited<ReturnType<typeof listScheduledChecks>>[number]

/** A query that cannot be rendered is a fault of its own check: the others run. */
function renderQuery({ sql_template, option_definitions, options }: TemplateRow): PlannedCheck['query'] {
  try {
    const sql = renderSql(sql_template ?? '', option_definitions as OptionDefinitions, options as OptionValues)
    return { json: JSON.stringify(sql) }
  } catch (error) {
    return { fault: `The query cannot be made from its template: ${error instanceof Error ? error.message : error}` }
  }
}
