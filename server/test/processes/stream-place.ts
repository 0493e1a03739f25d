import { randomUUID } from 'node:crypto'
import { transact } from '../../src/base/db/transact.ts'
import { queueComplianceChanges } from '../../src/signals/streams/queue-signals.ts'
import { makeIn } from '../support/make.ts'
import { openReceiver } from '../support/receivers.ts'
import { openReceiverPlace } from './receiver-place.ts'

export type StreamPlace = Awaited<ReturnType<typeof openStreamPlace>>

/** A place with streams to receivers of the tests. */
export async function openStreamPlace(...parts: Parameters<typeof openReceiverPlace>) {
  const receiverPlace = await openReceiverPlace(...parts)
  const { organizationId, db, receiving } = receiverPlace
  const make = makeIn({ db })

  return {
    ...receiverPlace,
    /** A push stream and its receiver. */
    async addPushStream(specVersion: 'v1_0' | 'draft' = 'v1_0') {
      const receiver = await receiving(openReceiver())
      const stream = await make.stream(organizationId, {
        endpoint_url: receiver.localUrl,
        spec_version: specVersion,
      })
      return { receiver, streamId: stream.id }
    },
    /** Resolves, once it is committed, to the `txn` that tells the change. */
    async change(changed: readonly string[]): Promise<string> {
      const txn = randomUUID()
      const occurredAt = new Date().toISOString()
      const told = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn, occurredAt } as const
      await transact(db, (tx) =>
        queueComplianceChanges(
          tx,
          organizationId,
          changed.map((deviceId) => ({ deviceId, ...told })),
        ),
      )
      return txn
    },
    async countPending(of: readonly ('push' | 'poll')[] = ['push', 'poll']): Promise<number> {
      const { count } = await db
        .selectFrom('ssf_stream_events as event')
        .innerJoin('ssf_streams as stream', (join) =>
          join.onRef('stream.organization_id', '=', 'event.organization_id').onRef('stream.id', '=', 'event.stream_id'),
        )
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('event.organization_id', '=', organizationId)
        .where('event.state', '=', 'pending')
        .where('stream.delivery_type', 'in', of)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
