import { columns, type Row, type Table } from '../tables/table.ts'
import { readBytes } from './read-files.ts'

/** struct utmp of glibc: on x86-64 it keeps 32-bit times for compatibility, on arm64 it never had them. */
const layouts = { compatible: { bytes: 384, timeAt: 340 }, wide: { bytes: 400, timeAt: 344 } }
const types: Record<number, string> = { 1: 'runlevel', 2: 'boot_time', 5: 'init', 6: 'login', 7: 'user', 8: 'dead' }

export type Session = { type: string; user: string; tty: string; host: string; time: number; pid: number }
type LoginRecord = Omit<Session, 'type'> & { type: number }

/** utmp(5): type, pid, line, id, user and host at fixed offsets. */
function* parseLogins(bytes: Buffer, architecture: string): Iterable<LoginRecord> {
  const layout = architecture === 'arm64' ? layouts.wide : layouts.compatible
  for (let at = 0; at + layout.bytes <= bytes.length; at += layout.bytes) {
    const record = bytes.subarray(at, at + layout.bytes)
    const text = (start: number, length: number) =>
      record
        .subarray(start, start + length)
        .toString('utf8')
        .replace(/\0.*$/s, '')
    yield {
      type: record.readInt16LE(0),
      user: text(44, 32),
      tty: text(8, 32),
      host: text(76, 256),
      time: record.readInt32LE(layout.timeAt),
      pid: record.readInt32LE(4),
    }
  }
}

/** Empty records are left out. */
export function parseUtmp(bytes: Buffer, architecture: string): Session[] {
  return [...parseLogins(bytes, architecture)].flatMap((record) => {
    const type = types[record.type]
    return type ? [{ ...record, type }] : []
  })
}

export const loggedInUsers: Table = {
  name: 'logged_in_users',
  columns: columns('type user tty host time:bigint pid:integer'),
  *collect() {
    yield* parseUtmp(readBytes('/var/run/utmp') ?? Buffer.alloc(0), process.arch)
  },
}

const kinds: Record<number, string> = {
  1: 'run-lvl',
  2: 'boot-time',
  3: 'new-time',
  4: 'old-time',
  5: 'init-process',
  6: 'login-process',
  7: 'user-process',
  8: 'dead-process',
}

/** Who signed in and out, and when the machine started. Empty records are left out. */
export function* parseWtmp(bytes: Buffer, architecture: string): Iterable<Row> {
  for (const { type, user, tty, host, time, pid } of parseLogins(bytes, architecture)) {
    const name = kinds[type]
    if (name) yield { username: user, tty, pid, type, type_name: name, time, host }
  }
}

export const last: Table = {
  name: 'last',
  columns: columns('username tty pid:integer type:integer type_name time:integer host'),
  collect: () => parseWtmp(readBytes('/var/log/wtmp') ?? Buffer.alloc(0), process.arch),
}
