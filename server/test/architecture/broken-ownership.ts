import { isServerSource, isTest, placeOf } from './file-role.ts'
import { type SourceFile, withoutComments } from './source-file.ts'

const table = String.raw`(?:only\s+)?(?:public\.)?"?((?:[a-z_]+\.)?[a-z_][a-z0-9_]*)"?`
const writes = [
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"`](?:public\.)?((?:[a-z_]+\.)?[a-z_][a-z0-9_]*)/g,
  new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+${table}`, 'gi'),
  new RegExp(String.raw`\bupdate\s+${table}(?:\s+(?:as\s+)?[a-z_]+)?\s+set\b`, 'gi'),
]
const computed = /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*(?!['"`\s])/

/** The tables that a file writes, by Kysely's builder or in SQL text. */
export function tablesWritten(file: SourceFile): string[] {
  const code = withoutComments(file.code)
  const names = writes.flatMap((form) => [...code.matchAll(form)].map((match) => (match[1] ?? '').toLowerCase()))
  return [...new Set(names.filter((name) => name !== 'set'))]
}

/** Writes by anyone but the table's owner, writes to a table without an owner, and writes to a computed table name. */
export function brokenOwnership(file: SourceFile, owners: Readonly<Record<string, string>>): string[] {
  if (!isServerSource(file.path) || isTest(file.path)) return []
  const { home } = placeOf(file.path)
  const broken = tablesWritten(file).flatMap((name) => {
    const owner = owners[name]
    if (owner !== undefined && (home === owner || home.startsWith(`${owner}/`))) return []
    return [`${file.path} writes ${name}, ${owner ? `which ${owner} owns` : 'which has no owner in table-owners.ts'}`]
  })
  const isComputed = home !== 'base/db' && computed.test(withoutComments(file.code))
  return isComputed ? [...broken, `${file.path} writes a table whose name is computed`] : broken
}
