import type { DatabaseSync } from 'node:sqlite'
import { osqueryColumns } from '@muster/contract/osquery-schema.ts'
import { lowerAscii } from './read-tokens.ts'

export type Stub = { readonly schema: 'main' | 'temp'; readonly name: string; readonly columns: Set<string> }
export type StubTables = {
  readonly list: readonly Stub[]
  add: (schema: Stub['schema'], name: string) => boolean
  setColumn: (column: string, owners: ReadonlySet<Stub>) => void
}

/** In every stub, represents the columns that it might also have: a star reveals it. */
export const starColumn = 'muster: any other column'

/**
 * Empty tables of the names that a statement reads. Those of osquery have their columns from the start, of every platform; what
 * extensions and other versions of osquery have beside comes as the statement asks for it.
 */
export function stubTables(database: DatabaseSync): StubTables {
  const list: Stub[] = []
  return {
    list,
    add(schema, name) {
      const isKnown = list.some((stub) => stub.schema === schema && lowerAscii(stub.name) === lowerAscii(name))
      if (isKnown || lowerAscii(name).startsWith('sqlite_')) return false
      const known = osqueryColumns(lowerAscii(name))?.keys() ?? []
      const stub = { schema, name, columns: new Set([starColumn, ...[...known].map(lowerAscii)]) }
      writeStub(database, stub)
      list.push(stub)
      return true
    },
    setColumn(column, owners) {
      for (const stub of list) {
        if (stub.columns.has(column) === owners.has(stub)) continue
        if (owners.has(stub)) stub.columns.add(column)
        else stub.columns.delete(column)
        writeStub(database, stub)
      }
    },
  }
}

function writeStub(database: DatabaseSync, { schema, name, columns }: Stub): void {
  const table = `${schema}.${quote(name)}`
  database.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (${[...columns].map(quote).join(', ')})`)
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
