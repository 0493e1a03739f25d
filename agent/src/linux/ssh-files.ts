import { columns, type Row, type Table } from '../tables/table.ts'
import { wantedAccounts } from './accounts.ts'
import { readOwnLines } from './own-files.ts'
import { readLines } from './read-files.ts'

/** ssh_config(5): options under the `host` or `match` line above them. */
export function* parseSshConfig(lines: string[]): Iterable<{ block: string; option: string }> {
  let block = ''
  for (const line of lines.map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue
    if (/^(host|match)[\s=]/i.test(line)) block = line.toLowerCase()
    else yield { block, option: line.toLowerCase() }
  }
}

/** The options of someone's own configuration. */
export function* sshConfigOfHome(home: string): Iterable<Row> {
  for (const entry of parseSshConfig(readOwnLines(home, '.ssh/config'))) {
    yield { ...entry, ssh_config_file: `${home}/.ssh/config` }
  }
}

export const sshConfigs: Table = {
  name: 'ssh_configs',
  columns: columns('uid:bigint block option ssh_config_file'),
  pushed: { uid: 'equal' },
  *collect(constraints) {
    for (const account of wantedAccounts(constraints)) {
      for (const row of sshConfigOfHome(account.directory)) yield { uid: account.uid, ...row }
    }
    const shared = '/etc/ssh/ssh_config'
    for (const entry of parseSshConfig(readLines(shared))) yield { uid: 0, ...entry, ssh_config_file: shared }
  },
}

const keyTypes = /(?:^|\s)((?:sk-)?(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+)(?:@openssh\.com)?)\s+(\S+)\s*(.*)$/

/** sshd(8), AUTHORIZED_KEYS FILE FORMAT: options (maybe), type, key, comment. */
export function parseAuthorizedKey(line: string): Row | undefined {
  if (line.trim() === '' || line.trimStart().startsWith('#')) return undefined
  const match = keyTypes.exec(line)
  if (!match) return undefined
  return {
    algorithm: match[1],
    key: match[2],
    options: line.slice(0, match.index).trim(),
    comment: match[3]?.trim(),
  }
}

/** The keys that sign in as someone. */
export function* authorizedKeysOfHome(home: string): Iterable<Row> {
  for (const file of ['.ssh/authorized_keys', '.ssh/authorized_keys2']) {
    for (const line of readOwnLines(home, file)) {
      const row = parseAuthorizedKey(line)
      if (row) yield { ...row, key_file: `${home}/${file}` }
    }
  }
}

export const authorizedKeys: Table = {
  name: 'authorized_keys',
  columns: columns('uid:bigint algorithm key options comment key_file'),
  pushed: { uid: 'equal' },
  *collect(constraints) {
    for (const account of wantedAccounts(constraints)) {
      for (const row of authorizedKeysOfHome(account.directory)) yield { uid: account.uid, ...row }
    }
  },
}
