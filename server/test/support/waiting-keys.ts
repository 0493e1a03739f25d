import { sql } from 'kysely'
import type { Db } from '../../src/base/db/transact.ts'

type Wanted = { organizationId: string; enrollmentSecretId: string; count: number; enrolledAt: string }

/** Makes keys that wait for their link, each of a machine of its own, as `<secret>-<enrolled at>-<number>`. */
export async function addWaitingKeys(db: Db, { organizationId, enrollmentSecretId, count, enrolledAt }: Wanted) {
  const kid = sql`${`${enrollmentSecretId}-${enrolledAt}-`}::text || number`
  await sql`
    insert into companion_keys (organization_id, kid, public_jwk, status, is_bundled, hardware_uuid, hostname, platform,
      agent_version, epoch, epoch_at, enrolled_at, last_contact_at, nonce, enrollment_secret_id)
    select ${organizationId}::bigint, ${kid}, '{}'::jsonb, 'linking', false, gen_random_uuid()::text, 'mac', 'darwin',
      '1.0.0', 'e', at, at, at, 'n', ${enrollmentSecretId}::bigint
    from generate_series(1, ${count}::integer) as number, (select ${enrolledAt}::timestamptz as at) as times`.execute(
    db,
  )
  await sql`
    insert into companion_key_lookups (kid, organization_id)
    select ${kid}, ${organizationId}::bigint from generate_series(1, ${count}::integer) as number`.execute(db)
}

/** The identifier of the newest enrollment secret. */
export async function newestSecretId(db: Db): Promise<string> {
  const newest = db.selectFrom('enrollment_secrets').select('id').orderBy('id', 'desc').limit(1)
  return (await newest.executeTakeFirstOrThrow()).id
}
