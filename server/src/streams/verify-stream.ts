import { ulid } from 'ulid'
import type { Tx } from '../db/transact.ts'
import { fail, orNotFound } from '../errors.ts'
import { findStream, type Stream } from './queries.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'

type Verification = { organizationId: string; reference: string; state: string | null; now: string }

export function refuseStopped({ status }: Stream): void {
  if (status !== 'enabled') fail('malformed_request', { message: `The stream is ${status}: enable it first.` })
}

/** Queues a verification event (SSF 1.0 §8.1.4); whoever delivers the stream's events delivers it. */
export async function verifyStream(tx: Tx, { organizationId, reference, state, now }: Verification): Promise<void> {
  const stream = orNotFound(await findStream(tx, organizationId, reference))
  refuseStopped(stream)
  const event = state === null ? {} : { state }
  const signal = { organizationId, streamId: stream.id, event, txn: ulid(), now }
  await queueStreamSignal(tx, { ...signal, kind: 'verification' })
}
