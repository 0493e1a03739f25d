import { bounded } from '../tables/bounded.ts'
import { columns, type Query, type Row, type Table } from '../tables/table.ts'
import { type Account, wantedAccounts } from './accounts.ts'
import { readOwnLines } from './own-files.ts'

const file = '.ssh/known_hosts'

/** sshd(8), SSH_KNOWN_HOSTS FILE FORMAT: a line for each key, comments left out. */
export function* knownHostsOfHome(home: string): Iterable<Row> {
  for (const line of readOwnLines(home, file).map((each) => each.trim())) {
    if (line !== '' && !line.startsWith('#')) yield { key: line, key_file: `${home}/${file}` }
  }
}

const maxRows = 100_000

function* knownHostsOf(accounts: readonly Account[], query: Query): Iterable<Row> {
  for (const { uid, directory } of accounts) {
    query.remainingMs()
    for (const row of knownHostsOfHome(directory)) yield { uid, ...row }
  }
}

export const knownHosts: Table = {
  name: 'known_hosts',
  columns: columns('uid:bigint key key_file'),
  pushed: { uid: 'equal' },
  collect: (constraints, query) => bounded(knownHostsOf(wantedAccounts(constraints), query), maxRows),
}
