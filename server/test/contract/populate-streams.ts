import { transact } from '../../src/base/db/transact.ts'
import { issueTokens } from '../../src/signals/streams/issue-tokens.ts'
import { listPending } from '../../src/signals/streams/list-pending.ts'
import { queueComplianceChanges } from '../../src/signals/streams/queue-signals.ts'
import { queueStreamSignal } from '../../src/signals/streams/queue-stream-signal.ts'
import { tokenSigner } from '../../src/signals/streams/token-signer.ts'
import { baseUrl } from '../support/app.ts'
import { makeIn } from '../support/make.ts'
import { minute, numbers } from './plenty.ts'
import type { Parts } from './populate-requests.ts'

const states = ['pending', 'delivered', 'acknowledged', 'rejected', 'expired'] as const

/** A stream whose ledger has events of every kind in every state. */
export async function populateStreams({ harness, organizationId, keep, devices }: Parts): Promise<void> {
  const { db, secrets } = harness
  const stream = await makeIn(harness.database).stream(organizationId, {
    endpoint_url: 'https://receiver.example.com/events',
  })
  const { id: streamId } = stream
  keep('ssf_streams', streamId)
  const common = { organizationId, streamId, txn: 'T', event: {} }
  await transact(db, async (tx) => {
    for (const index of numbers.slice(3)) {
      const deviceId = devices[index]?.id ?? ''
      const change = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
      await queueComplianceChanges(tx, organizationId, [{ ...change, deviceId, occurredAt: minute(index) }])
    }
    for (const [index, kind] of (['verification', 'stream_updated', 'test'] as const).entries()) {
      await queueStreamSignal(tx, { ...common, kind, now: minute(index) })
    }
  })
  const issuer = { db, signer: tokenSigner(db, secrets), baseUrl, clock: harness.now }
  const wanted = { organizationId, streamId, limit: 7, except: [], exceptDevices: [] }
  await issueTokens(issuer, await listPending(db, [wanted]))
  const rows = await db
    .selectFrom('ssf_stream_events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  for (const [index, { id }] of rows.entries()) {
    keep('history', id)
    const state = states[index % states.length] ?? 'pending'
    await db
      .updateTable('ssf_stream_events')
      .set({ state, settled_at: state === 'pending' ? null : minute(20), attempts: 1 })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute()
    const attempt = { attempted_at: minute(19), duration_ms: 17, status: index % 2 === 0 ? 202 : null }
    await db
      .insertInto('ssf_attempts')
      .values({ organization_id: organizationId, stream_id: streamId, event_id: id, ...attempt })
      .execute()
  }
  // After the events, so that these are of the first stream alone.
  for (const _ of numbers.slice(0, 5)) {
    keep('ssf_streams', (await makeIn(harness.database).stream(organizationId, { needs_no_poll_token: true })).id)
  }
}
