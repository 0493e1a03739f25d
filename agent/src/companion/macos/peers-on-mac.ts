import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryAnswer } from '../../sql/open-engine.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { maxNameLength, type Peer } from '../peer.ts'
import { programAsker } from './ask-program.ts'

/** Of each connection of a program of this Mac to our port, by its port. */
type Peers = ReadonlyMap<number, Peer>

type Asking = {
  run: (sql: string) => Promise<QueryAnswer | undefined>
  lsof?: string
  /** A person does not wait longer than this for what is only written down. */
  limitMs?: number
}

const here = /^(?:127\.0\.0\.1|\[::ffff:127\.0\.0\.1\])$/i

/**
 * Finds who has the connection with this port on its side and ours on the other, both at 127.0.0.1: by lsof(8), which comes with macOS
 * and sees the sockets of every user when root asks, else by osquery. One listing has all connections to a port, so one process
 * runs at a time, however many ask. Null where neither tells, or not in time.
 */
export function macPeers({ run, lsof = '/usr/sbin/lsof', limitMs = 5_000 }: Asking) {
  const askLsof = programAsker(lsof)
  const listings = new Map<number, Record<'lsof' | 'osquery', () => Promise<Peers>>>()

  function listingsOf(ourPort: number) {
    const known = listings.get(ourPort)
    if (known) return known
    const made = {
      lsof: oneAtATime(async () => readLsof((await askLsof({ args: lsofArguments(ourPort) })) ?? '', ourPort)),
      osquery: oneAtATime(async () => readRows(await run(sqlOf(ourPort)))),
    }
    listings.set(ourPort, made)
    return made
  }

  async function find(theirPort: number, ourPort: number): Promise<Peer | null> {
    const listing = listingsOf(ourPort)
    return (await listing.lsof()).get(theirPort) ?? (await listing.osquery()).get(theirPort) ?? null
  }

  return async (theirPort: number, ourPort: number): Promise<Peer | null> => {
    const ending = new AbortController()
    const late = sleep(limitMs, null, { signal: ending.signal }).catch(() => null)
    const found = await Promise.race([find(theirPort, ourPort).catch(() => null), late])
    ending.abort()
    return found
  }
}

/** No names of hosts, ports or users, which could ask a network; nothing that could wait for a file server; a field in each line. */
const lsofArguments = (ourPort: number) => ['-n', '-P', '-l', '-b', '-w', `-iTCP:${ourPort}`, '-F', 'pcun']

/** Of lines such as `p412`, `cfirefox`, `u501`, then for each file `f57`, `n127.0.0.1:52110->127.0.0.1:15861` (lsof(8), OUTPUT FOR OTHER PROGRAMS). */
function readLsof(text: string, ourPort: number): Peers {
  const peers = new Map<number, Peer>()
  let [uid, program]: [number, string] = [Number.NaN, '']
  for (const line of text.split('\n')) {
    const [field, value] = [line[0], line.slice(1)]
    if (field === 'p') [uid, program] = [Number.NaN, '']
    if (field === 'c') program = unescaped(value)
    if (field === 'u') uid = Number.parseInt(value, 10)
    const theirPort = field === 'n' ? portIn(value, ourPort) : undefined
    // Those that have a socket from another process come after it: it has the lower process id.
    if (theirPort === undefined || Number.isNaN(uid) || peers.has(theirPort)) continue
    peers.set(theirPort, { uid, program: nameOf(program) })
  }
  return peers
}

/** The port of the program's own side, of the address of a connection that leads to ours. */
function portIn(name: string, ourPort: number): number | undefined {
  const [, from = '', theirPort, to = '', port] = /^(\S+):(\d+)->(\S+):(\d+)$/.exec(name) ?? []
  return here.test(from) && here.test(to) && Number(port) === ourPort ? Number(theirPort) : undefined
}

/** lsof writes a space in a name as `\x20`, and so other bytes that it does not show. */
const unescaped = (name: string): string =>
  Buffer.from(
    name.replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

const sqlOf = (ourPort: number) =>
  `SELECT s.local_address, s.local_port, s.remote_address, p.uid, p.name, p.path FROM process_open_sockets AS s
    JOIN processes AS p ON p.pid = s.pid WHERE s.protocol = 6 AND s.remote_port = ${ourPort} ORDER BY p.pid`

function readRows(answer: QueryAnswer | undefined): Peers {
  const peers = new Map<number, Peer>()
  for (const row of answer?.ok ? answer.rows : []) {
    const { local_address: from = '', remote_address: to = '', local_port: port, uid, path = '', name = '' } = row
    if (!here.test(bracketed(from)) || !here.test(bracketed(to)) || peers.has(Number(port))) continue
    // Users are signed there: nobody is -2.
    peers.set(Number(port), { uid: Number(uid) >>> 0, program: nameOf(path === '' ? name : basename(path)) })
  }
  return peers
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)

const nameOf = (name: string): string | null => [...name.trim()].slice(0, maxNameLength).join('') || null
