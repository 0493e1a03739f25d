import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { isOurChallenge, makeChallenge, useChallenge } from './passkey-challenge.ts'
import type { PasskeySite } from './passkey-site.ts'
import { listPasskeys } from './queries.ts'
import { type AdminPlace, deleteRecoveryCodes, holdsFactor, lockAdmin, storeRecoveryCodes } from './second-factor.ts'
import { generateRecoveryCodes } from './totp.ts'

type Asked = AdminPlace

export const passkeyPurpose = 'passkey'
const maxPasskeys = 20

const holderOf = ({ organizationId, adminUserId }: AdminPlace): string => `${organizationId}/${adminUserId}`

/** What the browser is asked for: a discoverable passkey that verifies its user. */
export async function passkeyOptions(
  db: Db,
  secrets: Secrets,
  site: PasskeySite,
  asked: Asked & { email: string },
  context: ChangeContext,
): Promise<Record<string, unknown>> {
  const known = await listPasskeys(db, asked)
  const options = await generateRegistrationOptions({
    rpName: 'Muster',
    rpID: site.rpId,
    userName: asked.email,
    userDisplayName: context.actor.name,
    userID: new Uint8Array(secrets.lookupHash('passkey user', holderOf(asked))),
    challenge: new Uint8Array(makeChallenge(secrets, 'add', holderOf(asked), context.now)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return { ...options }
}

/** Keeps a passkey. With the first second factor come recovery codes. */
export async function addPasskey(
  db: Db,
  secrets: Secrets,
  site: PasskeySite,
  asked: Asked & { name: string; response: Record<string, unknown> },
  context: ChangeContext,
): Promise<{ id: string; recoveryCodes: string[] }> {
  const { challenge, made } = await verifyMade(secrets, site, asked, context)
  return transact(db, async (tx) => {
    await lockAdmin(tx, asked)
    if (!(await useChallenge(tx, secrets, challenge, context.now))) return refuse('was used before: request another')
    if ((await listPasskeys(tx, asked)).length >= maxPasskeys) return refuse('exceeds the limit: remove another first')
    const isFirst = !(await holdsFactor(tx, asked))
    const id = await insertPasskey(tx, secrets, asked, made, context)
    const recoveryCodes = isFirst ? generateRecoveryCodes() : []
    if (isFirst) await storeRecoveryCodes(tx, secrets, asked, recoveryCodes)
    const { name } = asked
    const description = `Added the passkey "${name}"${isFirst ? ', with ten recovery codes' : ''}.`
    await recordAudit(
      tx,
      { action: 'administrator.passkey_added', about: { administrator: asked.adminUserId }, description },
      context,
    )
    return { id, recoveryCodes }
  })
}

async function verifyMade(
  secrets: Secrets,
  { rpId, origin }: PasskeySite,
  asked: Asked & { response: Record<string, unknown> },
  context: ChangeContext,
) {
  let challenge = ''
  const verified = await verifyRegistrationResponse({
    // The library refuses what has another form.
    response: asked.response as never,
    expectedChallenge: (text) => {
      challenge = text
      return isOurChallenge(secrets, text, 'add', holderOf(asked), context.now)
    },
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!verified?.verified) return refuse('is not what was asked for')
  return { challenge, made: verified.registrationInfo }
}

type Made = Awaited<ReturnType<typeof verifyMade>>['made']

async function insertPasskey(
  tx: Tx,
  secrets: Secrets,
  asked: Asked & { name: string },
  made: Made,
  context: ChangeContext,
): Promise<string> {
  const { credential, credentialBackedUp } = made
  const { id } = await tx
    .insertInto('admin_passkeys')
    .values({
      organization_id: context.organizationId,
      admin_user_id: asked.adminUserId,
      name: asked.name,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      sign_count: String(credential.counter),
      transports: (credential.transports ?? []).slice(0, 10).map((transport) => String(transport).slice(0, 30)),
      is_synced: credentialBackedUp,
      created_at: context.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const added = await tx
    .insertInto('admin_passkey_lookups')
    .values({
      lookup_hash: secrets.lookupHash(passkeyPurpose, credential.id),
      organization_id: context.organizationId,
      admin_passkey_id: id,
    })
    .onConflict((conflict) => conflict.constraint('admin_passkey_lookups_pkey').doNothing())
    .returning('admin_passkey_id')
    .executeTakeFirst()
  if (!added) refuse('is already registered')
  return id
}

/** With the last second factor the recovery codes go as well. */
export async function removePasskey(tx: Tx, asked: Asked & { id: string }, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { adminUserId, id } = asked
  await lockAdmin(tx, asked)
  const removed = await tx
    .deleteFrom('admin_passkeys')
    .where(inOrganization('admin_passkeys', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  const { name } = orNotFound(removed)
  if (!(await holdsFactor(tx, asked))) await deleteRecoveryCodes(tx, asked)
  await recordAudit(
    tx,
    {
      action: 'administrator.passkey_removed',
      about: { administrator: adminUserId },
      description: `Removed the passkey "${name}".`,
    },
    context,
  )
}

const refuse = (message: string): never => fail('invalid', { errors: [{ field: 'response', message }] })
