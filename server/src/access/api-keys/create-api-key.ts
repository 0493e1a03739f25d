import { permissions as known, type Permission } from '@muster/contract/permissions.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { generateKey, isWellFormedKey } from '../../base/secrets/token-format.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { sealingPlace } from './sealing-place.ts'

export type NewApiKey = {
  name: string
  /** Name of the administrator who answers for the key. */
  responsibleAdministrator: string
  /** What the key may do beyond reading, each with the reason why. */
  permissions: Readonly<Partial<Record<Permission, string>>>
  /** From when on it is refused; never unless given. */
  expiresAt?: string | undefined
  /** A key made beforehand by `generateKey`; a new one unless given. */
  key?: string | undefined
}

/** Makes a key and returns it in plain text; the database holds it sealed, and its keyed hash for looking it up. */
export async function createApiKey(
  tx: Tx,
  secrets: Secrets,
  asked: NewApiKey,
  context: ChangeContext,
): Promise<{ id: string; key: string }> {
  const { organizationId, now } = context
  const { name, responsibleAdministrator, permissions, expiresAt, key = generateKey() } = asked
  refuseUnacceptableKey({ ...asked, key }, context)
  const id = await nextId(tx)
  await tx
    .insertInto('api_keys')
    .values({
      organization_id: organizationId,
      id,
      name,
      responsible_administrator: responsibleAdministrator,
      sealed_key: secrets.seal(key, sealingPlace(organizationId, id)),
      permissions: JSON.stringify(permissions),
      created_at: now,
      expires_at: expiresAt ?? null,
      uses_recorded_since: now,
    })
    .execute()
  await addLookup(tx, {
    lookup_hash: secrets.lookupHash('api_key', key),
    organization_id: organizationId,
    api_key_id: id,
  })
  const description = `Created the API key "${name}", for which "${responsibleAdministrator}" is responsible, ${grantsOf(permissions)}${expiresAt === undefined ? '' : `, until ${expiresAt}`}.`
  await recordAudit(tx, { action: 'api_key.created', about: { api_key: id }, description }, context)
  return { id, key }
}

/** Fails with invalid and every fault. */
export function refuseUnacceptableKey(asked: NewApiKey, { now }: Pick<ChangeContext, 'now'>): void {
  const { name, responsibleAdministrator, permissions, expiresAt, key } = asked
  const errors = Object.entries(permissions).flatMap(([permission, rationale]) => {
    const field = `permissions/${permission}`
    if (!Object.hasOwn(known, permission)) return [{ field, message: 'is not a permission' }]
    return rationale.trim() === '' ? [{ field, message: 'needs a written rationale' }] : []
  })
  if (name.trim() === '') errors.push({ field: 'name', message: 'must not be blank' })
  if (responsibleAdministrator.trim() === '') {
    errors.push({ field: 'responsible_administrator', message: 'must not be blank' })
  }
  if (expiresAt !== undefined && !(Date.parse(expiresAt) > Date.parse(now))) {
    errors.push({ field: 'expires_at', message: 'must be in the future' })
  }
  if (key !== undefined && !isWellFormedKey(key)) errors.push({ field: 'key', message: 'must be a key made by Muster' })
  if (errors.length > 0) fail('invalid', { errors })
}

/** The seal is bound to the identifier, so that is needed before the row. */
async function nextId(tx: Tx): Promise<string> {
  const { rows } = await sql<{ id: string }>`select nextval(pg_get_serial_sequence('api_keys', 'id')) as id`.execute(tx)
  return rows[0]?.id ?? fail('internal')
}

type Lookup = { lookup_hash: Buffer; organization_id: string; api_key_id: string }

async function addLookup(tx: Tx, lookup: Lookup): Promise<void> {
  const added = await tx
    .insertInto('api_key_lookups')
    .values(lookup)
    .onConflict((conflict) => conflict.constraint('api_key_lookups_pkey').doNothing())
    .returning('api_key_id')
    .executeTakeFirst()
  if (!added) fail('invalid', { errors: [{ field: 'key', message: 'is in use already' }] })
}

function grantsOf(permissions: NewApiKey['permissions']): string {
  const grants = Object.entries(permissions).map(
    ([permission, rationale]) => `"${known[permission as Permission].title}" ("${rationale}")`,
  )
  return grants.length === 0 ? 'for reading only' : `with the permissions ${grants.join(', ')}`
}
