import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { enrollmentSecretPlace, enrollmentSecretPurpose } from './enrollment-secret-place.ts'

export type NewEnrollmentSecret = {
  name: string
  /** Whose devices enroll with it: they are registered to this person without asking. */
  personId?: string
  /** At least 16 characters; absent: made here. */
  secret?: string
  expiresAt?: string
}

/**
 * Makes a secret with which agents enroll; any number may be alive at a time. Fails with not_found for a person that
 * the organization does not have, and with invalid for a secret that is in use or too short.
 */
export async function createEnrollmentSecret(
  tx: Tx,
  secrets: Secrets,
  wanted: NewEnrollmentSecret,
  context: ChangeContext,
): Promise<{ id: string; secret: string }> {
  const { organizationId, now } = context
  const { name } = wanted
  const secret = wanted.secret ?? randomBytes(32).toString('base64url')
  if (secret.length < 16)
    fail('invalid', { errors: [{ field: 'secret', message: 'must have at least 16 characters' }] })
  const person = wanted.personId === undefined ? undefined : await findPerson(tx, organizationId, wanted.personId)
  const id = await nextId(tx)
  await tx
    .insertInto('enrollment_secrets')
    .values({
      organization_id: organizationId,
      id,
      name,
      sealed_secret: secrets.seal(secret, enrollmentSecretPlace(organizationId, id)),
      person_id: person?.id ?? null,
      created_at: now,
      expires_at: wanted.expiresAt ?? null,
    })
    .execute()
  await addLookup(tx, organizationId, id, secrets.lookupHash(enrollmentSecretPurpose, secret))
  const whose = person ? ` for "${person.name}" (${person.email})` : ''
  await recordAudit(
    tx,
    {
      action: 'enrollment_secret.created',
      about: { enrolment_secret: id, person: person?.id },
      description: `Created the enrollment secret "${name}"${whose}.`,
    },
    context,
  )
  return { id, secret }
}

async function findPerson(tx: Tx, organizationId: string, personId: string) {
  const person = await tx
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where('deprovisioned_at', 'is', null)
    .executeTakeFirst()
  return orNotFound(person)
}

/** Sealing binds the secret to its identifier, so that is needed before the row is. */
async function nextId(tx: Tx): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select nextval(pg_get_serial_sequence('enrollment_secrets', 'id')) as id`.execute(tx)
  return orNotFound(rows[0]).id
}

async function addLookup(tx: Tx, organizationId: string, id: string, hash: Buffer): Promise<void> {
  const added = await tx
    .insertInto('enrollment_secret_lookups')
    .values({ lookup_hash: hash, organization_id: organizationId, enrollment_secret_id: id })
    .onConflict((conflict) => conflict.constraint('enrollment_secret_lookups_pkey').doNothing())
    .returning('enrollment_secret_id')
    .executeTakeFirst()
  if (!added) fail('invalid', { errors: [{ field: 'secret', message: 'is in use already' }] })
}
