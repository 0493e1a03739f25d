import { createHash } from 'node:crypto'

/**
 * A token, or the body of a webhook, at a receiver. `taken` and `rejected`: and it said so to the end; `refused`: it
 * answered that it is not there for it; `cut`: it has read it all, and nobody can know from its answer.
 */
export type Arrival = {
  /** Of the event, or of the message. */
  jti: string
  txn: string
  /** Of the token or the body: an hour's would not fit into memory. */
  digest: string
  what: 'taken' | 'rejected' | 'refused' | 'cut'
  /** That a webhook was answered with, to the end. */
  status?: number | undefined
}

export type ReceiverLog = {
  /** Of the stream, or of the endpoint. */
  id: string
  kind: 'push' | 'poll' | 'hook'
  /** In the order of their arrival. */
  arrivals: Arrival[]
  /** What is against the guarantees and can only be seen while it happens. */
  faults: string[]
}

export const digestOf = (sent: string): string => createHash('sha256').update(sent).digest('base64url')
