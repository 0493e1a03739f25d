import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'

/** The process at the other end of a connection on this machine: its user and, where it can be seen, its program. */
export type Peer = { uid: number; program: string | null }

export const maxNameLength = 64
/** 50,000 descriptors take a seventh of a second. */
const ofLinux = { proc: '/proc', maxDescriptors: 50_000 }

/**
 * Who has the socket with this port on its side and ours on the other, both at 127.0.0.1, by Linux' table of sockets; null where the
 * kernel does not say.
 */
export async function findPeer(theirPort: number, ourPort: number, machine = ofLinux): Promise<Peer | null> {
  for (const table of ['tcp', 'tcp6']) {
    const lines = await readFile(`${machine.proc}/net/${table}`, 'utf8').catch(() => '')
    const socket = socketIn(lines, theirPort, ourPort)
    if (socket) return { uid: socket.uid, program: await programWith(socket, machine) }
  }
  return null
}

type SocketEntry = { uid: number; inode: string }

/** 127.0.0.1 as the kernel writes it in either byte order, in the table of IPv6 after a prefix. */
const addressWith = (port: number) =>
  new RegExp(`^(0{16}(FFFF0000|0000FFFF))?(0100007F|7F000001):${port.toString(16).padStart(4, '0')}$`, 'i')

/** Of a line such as `0: 0100007F:D431 0100007F:3DF5 01 … 1000 0 48211`: local, remote, state, queues, timer, retries, uid, timeout, inode. */
function socketIn(table: string, theirPort: number, ourPort: number): SocketEntry | undefined {
  const [theirs, ours] = [addressWith(theirPort), addressWith(ourPort)]
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', , , , , uid, , inode = '0'] = line.trim().split(/\s+/)
    // A socket that its process has left has no inode, and is shown as root's.
    if (theirs.test(local) && ours.test(remote) && inode !== '0') return { uid: Number(uid), inode }
  }
  return undefined
}

/**
 * The program of the first process that holds the socket. The lowest process id comes first, since the process that opened
 * a socket is older than those which have it from there.
 */
async function programWith(
  { uid, inode }: SocketEntry,
  { proc, maxDescriptors }: typeof ofLinux,
): Promise<string | null> {
  let left = maxDescriptors
  for (const pid of processIds(proc)) {
    const folder = `${proc}/${pid}`
    if (ownerOf(folder) !== uid) continue
    const descriptors = namesIn(`${folder}/fd`).slice(0, left)
    if (descriptors.some((one) => targetOf(`${folder}/fd/${one}`) === `socket:[${inode}]`)) return nameOf(folder)
    left -= descriptors.length
    if (left === 0) return null
    await turn()
  }
  return null
}

const processIds = (proc: string): number[] =>
  namesIn(proc)
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
    .sort((a, b) => a - b)

async function nameOf(folder: string): Promise<string | null> {
  // A program that was updated while it runs.
  const path = targetOf(`${folder}/exe`)?.replace(/ \(deleted\)$/, '')
  const name = path === undefined ? await readFile(`${folder}/comm`, 'utf8').catch(() => '') : basename(path)
  return [...name.trim()].slice(0, maxNameLength).join('') || null
}

// Synchronous calls take half the time here.
const namesIn = (folder: string) => tried(() => readdirSync(folder)) ?? []
const ownerOf = (folder: string) => tried(() => statSync(folder).uid)
const targetOf = (link: string) => tried(() => readlinkSync(link))

/** A process may end at any time, and may be none of our business. */
function tried<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
