import { columns, type Query, type Row, type Table } from '../tables/table.ts'
import { wantedAccounts } from './accounts.ts'
import { isOwnFolder, readOwnLines } from './own-files.ts'
import { listDirectory, lstatOf } from './read-files.ts'

type Place = { root: string; folder: string; username: string }

/** Desktop Entry Specification: name and command of the group `[Desktop Entry]`; undefined where nothing is started. */
function parseDesktopEntry(lines: readonly string[]): { name: string; command: string } | undefined {
  const start = lines.findIndex((line) => line.trim() === '[Desktop Entry]')
  const values = new Map<string, string>()
  for (const line of start === -1 ? [] : lines.slice(start + 1)) {
    if (line.startsWith('[')) break
    const [, key, value] = /^([\w-]+)\s*=\s*(.*)$/.exec(line.trim()) ?? []
    if (key !== undefined) values.set(key, value ?? '')
  }
  const command = values.get('Exec')
  return command === undefined ? undefined : { name: values.get('Name') ?? '', command }
}

/** What a desktop starts when someone signs in. */
export function* desktopItems({ root, folder, username }: Place, query: Query): Iterable<Row> {
  for (const file of filesOf(root, folder, query)) {
    const entry = file.endsWith('.desktop') ? parseDesktopEntry(readOwnLines(root, `${folder}/${file}`)) : undefined
    if (!entry) continue
    const [path = '', ...args] = entry.command.split(' ')
    yield { name: entry.name, path, args: args.join(' '), ...sourceOf(root, folder), username }
  }
}

/** Scripts that are run at the start, or when someone signs in. */
export function* scriptItems({ root, folder, username }: Place, query: Query): Iterable<Row> {
  for (const file of filesOf(root, folder, query)) {
    yield { name: file, path: `${root}/${folder}/${file}`, args: '', ...sourceOf(root, folder), username }
  }
}

const sourceOf = (root: string, folder: string) => ({
  type: 'Startup Item',
  source: `${root}/${folder}`,
  status: 'enabled',
})

function* filesOf(root: string, folder: string, query: Query): Iterable<string> {
  if (!isOwnFolder(root, folder)) return
  for (const file of listDirectory(`${root}/${folder}`)) {
    query.remainingMs()
    if (lstatOf(`${root}/${folder}/${file}`)?.isFile()) yield file
  }
}

export const startupItems: Table = {
  name: 'startup_items',
  columns: columns('name path args type source status username'),
  *collect(_constraints, query) {
    yield* desktopItems({ root: '/etc', folder: 'xdg/autostart', username: 'root' }, query)
    yield* scriptItems({ root: '/etc', folder: 'init.d', username: 'root' }, query)
    for (const { name: username, directory: root } of wantedAccounts([])) {
      yield* desktopItems({ root, folder: '.config/autostart', username }, query)
      yield* scriptItems({ root, folder: '.config/autostart-scripts', username }, query)
    }
  },
}
