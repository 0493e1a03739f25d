import type { QueryAnswer } from '../sql/open-engine.ts'
import { countPeople } from './count-people.ts'
import { macPeers } from './macos/peers-on-mac.ts'
import { macPeople } from './macos/people-on-mac.ts'
import { findPeer, type Peer } from './peer.ts'

/** What the system tells of who is at the other end of a connection, and of who is there at all; null where it does not tell. */
export type WhoAsks = {
  /** The process with `theirPort` on its side of a connection to `ourPort`, both at 127.0.0.1. */
  peer: (theirPort: number, ourPort: number) => Promise<Peer | null>
  /** How many people are logged in. */
  people: () => Promise<number | null>
}

/** Where nothing is told. */
export const nothingTold: WhoAsks = { peer: async () => null, people: async () => null }

/** `run` answers osquery SQL from this machine. */
export function whoAsks(platform: NodeJS.Platform, run: (sql: string) => Promise<QueryAnswer | undefined>): WhoAsks {
  if (platform === 'linux')
    return { peer: (theirPort, ourPort) => findPeer(theirPort, ourPort), people: () => countPeople() }
  if (platform === 'darwin') return { peer: macPeers({ run }), people: macPeople() }
  return nothingTold
}
