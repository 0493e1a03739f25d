import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../../src/base/db/transact.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { authorityOfReceivers } from '../support/receivers.ts'

type AsyncHooks = { after(work: () => Promise<void>): void }

export type ReceiverPlace = Awaited<ReturnType<typeof openReceiverPlace>>

/** Processes whose workers reach the receivers of the tests, and an organization with devices to tell of. */
export async function openReceiverPlace(
  hooks: AsyncHooks,
  { url, db }: { url: string | undefined; db: Db },
  devices: number,
) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-receivers-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, authorityOfReceivers)
  const trusting = { NODE_EXTRA_CA_CERTS: authority, MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true' }
  const place = openPostgresPlace(hooks, { url, db }, trusting)
  const server = await place.start(['serve', '--no-worker'])
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const deviceIds = await addDevices(db, organizationId, devices)
  const receivers = new Set<{ close(): Promise<void> }>()
  hooks.after(async () => {
    await Promise.all([...receivers].map((receiver) => receiver.close()))
  })
  return {
    ...{ place, server, organizationId, deviceIds, db },
    /** Closed after the test. */
    async receiving<Receiver extends { close(): Promise<void> }>(opening: Promise<Receiver>): Promise<Receiver> {
      const receiver = await opening
      receivers.add(receiver)
      return receiver
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
