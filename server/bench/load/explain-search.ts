import { deviceSearch } from '@muster/contract/devices.ts'
import { issueSearch } from '@muster/contract/issues.ts'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from '../../src/base/db/schema.ts'
import { parseSearch } from '../../src/base/lists/parse-search.ts'
import { listIssues } from '../../src/compliance/issues/queries.ts'
import { listDevices } from '../../src/inventory/devices/queries.ts'
import type { SearchClass } from './search-classes.ts'

type PlanNode = { 'Node Type': string; 'Index Name'?: string; Plans?: PlanNode[] }

export type Explainer = { explain(search: SearchClass, text: string): Promise<string>; close(): Promise<void> }

/** Says with which indexes the database answers the product's own query of a search. */
export function openExplainer(databaseUrl: string, organizationId: string): Explainer {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  let last: CompiledQuery | undefined
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      last = query
    },
  })
  return {
    async explain({ list }, text) {
      const page = { organizationId, params: {}, after: undefined, limit: 26, order: 'ascending', now: '' } as const
      const search = parseSearch(text, list === 'devices' ? deviceSearch : issueSearch)
      await (list === 'devices' ? listDevices(db, { ...page, search }) : listIssues(db, { ...page, search }))
      const { rows } = await pool.query(`explain (format json) ${last?.sql}`, [...(last?.parameters ?? [])])
      return [...new Set(nodesOf(rows[0]['QUERY PLAN'][0].Plan))].join(' < ')
    },
    close: () => db.destroy(),
  }
}

function nodesOf(node: PlanNode): string[] {
  const index = node['Index Name']
  return [index ? `${node['Node Type']} ${index}` : node['Node Type'], ...(node.Plans ?? []).flatMap(nodesOf)]
}
