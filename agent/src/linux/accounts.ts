import { type Constraint, columns, type Row, type Table, wantedValues } from '../tables/table.ts'
import { readLines } from './read-files.ts'

export type Account = { name: string; uid: number; gid: number; description: string; directory: string; shell: string }
export type AccountGroup = { name: string; gid: number; members: string[] }

export function parsePasswd(lines: string[]): Account[] {
  return lines.flatMap((line) => {
    const [name = '', , uid = '', gid = '', description = '', directory = '', shell = ''] = line.split(':')
    if (name === '' || name.startsWith('#') || !/^\d+$/.test(uid) || !/^\d+$/.test(gid)) return []
    return [{ name, uid: Number(uid), gid: Number(gid), description, directory, shell }]
  })
}

export function parseGroups(lines: string[]): AccountGroup[] {
  return lines.flatMap((line) => {
    const [name = '', , gid = '', members = ''] = line.split(':')
    if (name === '' || name.startsWith('#') || !/^\d+$/.test(gid)) return []
    return [{ name, gid: Number(gid), members: members.split(',').filter((member) => member !== '') }]
  })
}

const readAccounts = () => parsePasswd(readLines('/etc/passwd'))
const readGroups = () => parseGroups(readLines('/etc/group'))

/** A 32-bit id as C's signed int has it, as osquery's *_signed columns. */
const signed = (id: number) => id | 0

/** The accounts that a query asks for by uid, or all. */
export function wantedAccounts(constraints: Constraint[]): Account[] {
  const uids = wantedValues(constraints, 'uid')
  return uids ? readAccounts().filter((account) => uids.includes(String(account.uid))) : readAccounts()
}

export const users: Table = {
  name: 'users',
  columns: columns(
    'uid:bigint gid:bigint uid_signed:bigint gid_signed:bigint username description directory shell uuid',
  ),
  *collect() {
    for (const account of readAccounts()) {
      yield {
        uid: account.uid,
        gid: account.gid,
        uid_signed: signed(account.uid),
        gid_signed: signed(account.gid),
        username: account.name,
        description: account.description,
        directory: account.directory,
        shell: account.shell,
        uuid: '',
      }
    }
  },
}

export const groups: Table = {
  name: 'groups',
  columns: columns('gid:bigint gid_signed:bigint groupname'),
  *collect() {
    for (const group of readGroups()) yield { gid: group.gid, gid_signed: signed(group.gid), groupname: group.name }
  },
}

export const userGroups: Table = {
  name: 'user_groups',
  columns: columns('uid:bigint gid:bigint'),
  *collect(): Iterable<Row> {
    const all = readGroups()
    for (const account of readAccounts()) {
      yield { uid: account.uid, gid: account.gid }
      for (const group of all) {
        if (group.gid !== account.gid && group.members.includes(account.name)) {
          yield { uid: account.uid, gid: group.gid }
        }
      }
    }
  },
}

export const userNames = (): ReadonlyMap<number, string> =>
  new Map(readAccounts().map(({ uid, name }) => [uid, name] as const))

export const groupNames = (): ReadonlyMap<number, string> =>
  new Map(readGroups().map(({ gid, name }) => [gid, name] as const))
