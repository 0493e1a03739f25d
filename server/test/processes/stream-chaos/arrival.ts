import { createHash } from 'node:crypto'

/**
 * A token at a receiver. `taken` and `rejected`: and it said so to the end; `refused`: it answered that it is not there
 * for it; `cut`: it has read the token, and nobody can know from its answer.
 */
export type Arrival = {
  jti: string
  txn: string
  /** Of the token: an hour's tokens would not fit into memory. */
  digest: string
  what: 'taken' | 'rejected' | 'refused' | 'cut'
}

export type StreamLog = {
  streamId: string
  kind: 'push' | 'poll'
  /** In the order of their arrival. */
  arrivals: Arrival[]
  /** What is against the guarantees and can only be seen while it happens. */
  faults: string[]
}

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
