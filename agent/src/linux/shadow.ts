import { needsRoot } from '../tables/needs-root.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { readLines } from './read-files.ts'

/** shadow(5): the state of the password, never the hash. */
export function shadowRow(line: string): Row | undefined {
  const [username = '', password = '', lastChange, min, max, warning, inactive, expire, flag] = line.split(':')
  if (username === '' || username.startsWith('#')) return undefined
  return {
    password_status: passwordStatus(password),
    hash_alg: /^!?\$([^$]+)\$/.exec(password)?.[1] ?? '',
    last_change: lastChange,
    min,
    max,
    warning,
    inactive,
    expire,
    flag,
    username,
  }
}

function passwordStatus(password: string): string {
  if (password === '') return 'empty'
  if (password.startsWith('!!')) return 'not_set'
  return password.startsWith('!') || password.startsWith('*') ? 'locked' : 'active'
}

export const shadow: Table = {
  name: 'shadow',
  columns: columns(`password_status hash_alg last_change:bigint min:bigint max:bigint warning:bigint inactive:bigint
    expire:bigint flag:bigint username`),
  notCollected: needsRoot,
  *collect() {
    for (const line of readLines('/etc/shadow')) {
      const row = shadowRow(line)
      if (row) yield row
    }
  },
}
