import type { TableProblemType } from '@muster/contract/reporting-tables.ts'
import { sql } from 'kysely'
import type { Reader } from '../../base/db/transact.ts'
import { inventoryTables } from '../catalogue/catalogue.ts'
import { notCollected } from './table-problem-rules.ts'

/** On how many devices a table does not come, by the type of the reason; those of most devices first. */
export type TableProblemSurvey = { table: string; type: TableProblemType; devices: number }[]

const mostLines = 5

/**
 * Over the living devices of all organizations that have reporting. What the bundled agent does not collect is left out: it
 * is known not to.
 */
export const surveyProblems = (reader: Reader): Promise<TableProblemSurvey> =>
  reader
    .selectFrom('device_table_problems as problem')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'problem.organization_id')
        .onRef('devices.id', '=', 'problem.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .innerJoin('organizations', 'organizations.id', 'problem.organization_id')
    .select(['problem.reporting_table as table', 'problem.type', sql<number>`count(*)::int`.as('devices')])
    .where(sql<boolean>`not 'reporting' = any(organizations.disabled_features)`)
    .where(sql<boolean>`not starts_with(problem.message, ${notCollected})`)
    // A table of another version is asked for no more.
    .where('problem.reporting_table', '=', sql<string>`any(${inventoryTables.map(({ name }) => name)}::text[])`)
    .groupBy(['problem.reporting_table', 'problem.type'])
    .orderBy('devices', 'desc')
    .orderBy('problem.reporting_table', (order) => order.collate('C'))
    .orderBy('problem.type', (order) => order.collate('C'))
    .limit(mostLines)
    .execute()
