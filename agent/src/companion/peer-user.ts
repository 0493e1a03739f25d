import { readFile } from 'node:fs/promises'

/** The user of the process at the other end of a connection on this machine. */
export type PeerUser = { uid: number; name: string }

const tables = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * The user whose process has the socket with this port on its side and ours on the other; undefined off Linux, and where
 * the kernel does not say.
 */
export async function peerUser(theirPort: number, ourPort: number): Promise<PeerUser | undefined> {
  if (process.platform !== 'linux') return undefined
  for (const table of tables) {
    const uid = uidIn(await readFile(table, 'utf8').catch(() => ''), theirPort, ourPort)
    if (uid !== undefined) return { uid, name: await nameOf(uid) }
  }
  return undefined
}

const portText = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** Of a line such as `0: 0100007F:D431 0100007F:3DF5 01 … 1000 0 48211`: local, remote, state, queues, timer, retries, uid. */
function uidIn(table: string, theirPort: number, ourPort: number): number | undefined {
  const [theirs, ours] = [`:${portText(theirPort)}`, `:${portText(ourPort)}`]
  for (const line of table.split('\n')) {
    const fields = line.trim().split(/\s+/)
    const uid = Number(fields[7])
    if (fields[1]?.endsWith(theirs) && fields[2]?.endsWith(ours) && Number.isInteger(uid)) return uid
  }
  return undefined
}

async function nameOf(uid: number): Promise<string> {
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const account = accounts.split('\n').find((line) => line.split(':')[2] === String(uid))
  return account?.split(':', 1)[0]?.slice(0, 64) ?? ''
}
