import { reportingTables } from '../catalogue/catalogue.ts'

/** What a reporting query may name. */
export const tableNames: ReadonlySet<string> = new Set(reportingTables.map(({ name }) => name))
