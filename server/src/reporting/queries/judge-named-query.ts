import { fail } from '../../base/errors.ts'
import { isStorable } from '../../base/storable.ts'
import { judgeQuery } from '../sandbox/judge-query.ts'
import { QueryRefused } from '../sandbox/query-refused.ts'
import { tableNames } from './table-names.ts'

const maxNameLength = 200

/** Refuses a name that nobody could read, and SQL that the sandbox would not run. */
export async function judgeNamedQuery({ name, sql }: { name: string; sql: string }): Promise<void> {
  if (name.trim() === '' || name.length > maxNameLength || !isStorable(name)) {
    refuse('name', `must have 1 to ${maxNameLength} characters`)
  }
  try {
    await judgeQuery(sql, tableNames)
  } catch (error) {
    if (error instanceof QueryRefused) refuse('sql', error.message)
    throw error
  }
}

function refuse(field: string, message: string): never {
  fail('invalid', { errors: [{ field, message }] })
}
