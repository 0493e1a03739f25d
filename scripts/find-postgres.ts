import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const packaged = '/usr/lib/postgresql'

/** The folder of the programs of a PostgreSQL server, in PATH or where Debian's packages put them; undefined when there is none. */
export function findPostgres(): string | undefined {
  const versions = existsSync(packaged) ? readdirSync(packaged) : []
  const newestFirst = versions.toSorted((left, right) => Number(right) - Number(left))
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...newestFirst.map((one) => join(packaged, one, 'bin')),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}
