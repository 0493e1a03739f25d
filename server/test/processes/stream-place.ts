import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../../src/db/transact.ts'
import { transact } from '../../src/db/transact.ts'
import { queueComplianceChanges } from '../../src/streams/queue-signals.ts'
import { makeIn } from '../support/make.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { authorityOfReceivers, openReceiver, type Receiver } from '../support/receivers.ts'

type Parts = { url: string | undefined; db: Db }
type AsyncHooks = { after(work: () => Promise<void>): void }

export type StreamPlace = Awaited<ReturnType<typeof openStreamPlace>>

/** Processes whose workers reach the receivers of the tests, and an organization with devices to tell of. */
export async function openStreamPlace(hooks: AsyncHooks, { url, db }: Parts, devices: number) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-receivers-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, authorityOfReceivers)
  const trusting = { NODE_EXTRA_CA_CERTS: authority, MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true' }
  const place = openPostgresPlace(hooks, { url, db }, trusting)
  const server = await place.start(['serve', '--no-worker'])
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const make = makeIn({ db })
  const deviceIds = await addDevices(db, organizationId, devices)
  const receivers = new Set<Receiver>()
  hooks.after(async () => {
    await Promise.all([...receivers].map((receiver) => receiver.close()))
  })

  async function receiving(): Promise<Receiver> {
    const receiver = await openReceiver()
    receivers.add(receiver)
    return receiver
  }

  return {
    ...{ place, server, organizationId, deviceIds, db },
    /** A push stream and its receiver. */
    async addPushStream(specVersion: 'v1_0' | 'draft' = 'v1_0') {
      const receiver = await receiving()
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

async function addDevices(db: Db, organizationId: string, count: number): Promise<string[]> {
  const createdAt = new Date().toISOString()
  const rows = await db
    .insertInto('devices')
    .values(
      Array.from({ length: count }, (_, index) => ({
        organization_id: organizationId,
        name: `Device ${index}`,
        device_type: 'Mac' as const,
        form_factor: 'computer' as const,
        created_at: createdAt,
      })),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
