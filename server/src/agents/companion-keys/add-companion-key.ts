import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { PublicEcJwk } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { randomName } from './link-name.ts'
import { findHolder } from './queries.ts'

export type NewCompanionKey = {
  organizationId: string
  kid: string
  jwk: PublicEcJwk
  /** The linked key that has signed for this one. */
  vouchedBy?: string | undefined
  enrollmentSecretId?: string
  /** When the nonce of the request was given out. */
  noncedAt?: string
  now: string
}

export type CompanionFacts = {
  isBundled: boolean
  hardwareUuid: string | null
  serial: string | null
  hostname: string
  platform: string
  agentVersion: string
}

/** Of one machine, this many keys may wait for their link; older ones go. */
const maxWaiting = 4

/**
 * Adds a key that is not linked yet, or starts one over. Adds nothing where another organization has the key, and where the
 * key has enrolled since the nonce of the request was given out: the request was sent before.
 */
export async function addCompanionKey(
  tx: Tx,
  { organizationId, kid, jwk, vouchedBy, enrollmentSecretId, now, noncedAt = now }: NewCompanionKey,
  facts: CompanionFacts,
): Promise<'added' | 'in_use' | 'repeated'> {
  const holder = await findHolder(tx, kid)
  if (holder !== undefined && holder !== organizationId) return 'in_use'
  const row = {
    status: 'linking' as const,
    is_bundled: facts.isBundled,
    hardware_uuid: facts.hardwareUuid,
    serial: facts.serial,
    hostname: facts.hostname,
    platform: facts.platform,
    agent_version: facts.agentVersion,
    link_name: null,
    enrollment_secret_id: enrollmentSecretId ?? null,
    nonce: randomName(),
    epoch: randomName(),
    previous_epoch: null,
    epoch_at: now,
    enrolled_at: now,
    last_contact_at: now,
  }
  const publicJwk = JSON.stringify({ ...jwk, ...(vouchedBy !== undefined && { vouched_by: vouchedBy }) })
  const written = await tx
    .insertInto('companion_keys')
    .values({ organization_id: organizationId, kid, public_jwk: publicJwk, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'kid'])
        .doUpdateSet({ ...row, public_jwk: publicJwk })
        .where('companion_keys.enrolled_at', '<', noncedAt),
    )
    .returning('kid')
    .executeTakeFirst()
  if (!written) return 'repeated'
  const lookup = tx.insertInto('companion_key_lookups').values({ kid, organization_id: organizationId })
  // A key that was held may have been dropped a moment ago, and its look-up with it.
  await (holder === undefined ? lookup : lookup.onConflict((conflict) => conflict.column('kid').doNothing())).execute()
  await dropOldest(tx, organizationId, facts)
  return 'added'
}

async function dropOldest(tx: Tx, organizationId: string, { hardwareUuid, serial }: CompanionFacts): Promise<void> {
  // `is not distinct from` says it shorter, but no index serves it; and one that is partial wants the status in the text.
  const same = (value: string | null) => (value === null ? 'is' : '=')
  const waiting = tx
    .selectFrom('companion_keys')
    .select('kid')
    .where(inOrganization('companion_keys', organizationId))
    .where('status', '=', sql.lit('linking'))
    .where('hardware_uuid', same(hardwareUuid), hardwareUuid)
    .where('serial', same(serial), serial)
    .orderBy('enrolled_at', 'desc')
    .offset(maxWaiting)
  await tx
    .deleteFrom('companion_keys')
    .where(inOrganization('companion_keys', organizationId))
    .where('kid', 'in', waiting)
    .execute()
}
