import type { Insertable } from 'kysely'
import type { Database } from '../../src/base/db/schema.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { startOfTests } from './make.ts'

type Columns = Partial<Insertable<Database['companion_keys']>>

/** A key of a device as the database keeps it: linked by a file unless told otherwise. */
export async function makeCompanion(
  db: Db,
  device: { readonly organization_id: string; readonly id: string },
  columns: Columns & { readonly kid: string },
): Promise<void> {
  const jwk = JSON.stringify({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' })
  await db
    .insertInto('companion_keys')
    .values({
      ...{ organization_id: device.organization_id, device_id: device.id, public_jwk: jwk, status: 'linked' },
      ...{ is_bundled: false, hardware_uuid: null, serial: null, hostname: 'mac', platform: 'linux' },
      ...{ agent_version: '1.4.0', link_name: null, linked_at: startOfTests, linked_by: 'file', port: null },
      ...{ epoch: 'e', previous_epoch: null, epoch_at: startOfTests, nonce: 'n' },
      ...{ enrolled_at: startOfTests, last_contact_at: startOfTests },
      ...columns,
    })
    .execute()
}
