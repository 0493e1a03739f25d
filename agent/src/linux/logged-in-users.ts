import { columns, type Table } from '../tables/table.ts'
import { readBytes } from './read-files.ts'

/** struct utmp of glibc: on x86-64 it keeps 32-bit times for compatibility, on arm64 it never had them. */
const layouts = { compatible: { bytes: 384, timeAt: 340 }, wide: { bytes: 400, timeAt: 344 } }
const types: Record<number, string> = { 1: 'runlevel', 2: 'boot_time', 5: 'init', 6: 'login', 7: 'user', 8: 'dead' }

export type Session = { type: string; user: string; tty: string; host: string; time: number; pid: number }

/** utmp(5): type, pid, line, id, user and host at fixed offsets. Empty records are left out. */
export function parseUtmp(bytes: Buffer, architecture: string): Session[] {
  const layout = architecture === 'arm64' ? layouts.wide : layouts.compatible
  const sessions: Session[] = []
  for (let at = 0; at + layout.bytes <= bytes.length; at += layout.bytes) {
    const record = bytes.subarray(at, at + layout.bytes)
    const text = (start: number, length: number) =>
      record
        .subarray(start, start + length)
        .toString('utf8')
        .replace(/\0.*$/s, '')
    const type = types[record.readInt16LE(0)]
    if (!type) continue
    sessions.push({
      type,
      user: text(44, 32),
      tty: text(8, 32),
      host: text(76, 256),
      time: record.readInt32LE(layout.timeAt),
      pid: record.readInt32LE(4),
    })
  }
  return sessions
}

export const loggedInUsers: Table = {
  name: 'logged_in_users',
  columns: columns('type user tty host time:bigint pid:integer'),
  *collect() {
    yield* parseUtmp(readBytes('/var/run/utmp') ?? Buffer.alloc(0), process.arch)
  },
}
