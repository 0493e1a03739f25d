import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { type AdmittedSession, actorOf, type Browser } from '../../base/callers.ts'
import { newChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { passkeyPurpose } from './add-passkey.ts'
import { endEarlierSession } from './end-earlier-session.ts'
import { isOurChallenge, makeChallenge, useChallenge } from './passkey-challenge.ts'
import type { PasskeySite } from './passkey-site.ts'
import { findPasskey, type PasskeyRow } from './queries.ts'
import { rotateSession } from './rotate-session.ts'
import { startSession } from './start-session.ts'

type Proof = { response: Record<string, unknown>; browser: Browser; now: string }

/** For someone with a passkey here: the browser finds it, so no account is named or revealed. */
export async function proofOptions(
  secrets: Secrets,
  { rpId }: PasskeySite,
  now: string,
): Promise<Record<string, unknown>> {
  const challenge = new Uint8Array(makeChallenge(secrets, 'sign in', '', now))
  return { ...(await generateAuthenticationOptions({ rpID: rpId, challenge, userVerification: 'required' })) }
}

/** Signs in by passkey alone: it is something held, and proves who holds it. Returns the session's secret. */
export function signInByPasskey(db: Db, secrets: Secrets, site: PasskeySite, asked: Proof): Promise<string> {
  return prove(db, secrets, site, asked, async (tx, passkey) => {
    const { organization_id: organizationId, admin_user_id: adminUserId, name, email } = passkey
    const { browser, now } = asked
    await endEarlierSession(tx, secrets, { ...browser, now })
    const secret = await startSession(tx, secrets, { organizationId, adminUserId, method: 'passkey', ...browser, now })
    const adminName = `${passkey.first_name} ${passkey.last_name}`.trim()
    const { source } = browser
    const actor = { type: 'User', id: adminUserId, name: adminName, email, source } as const
    const description = `Signed in to the console with the passkey "${name}".`
    await recordAudit(
      tx,
      { action: 'administrator.signed_in', about: { administrator: adminUserId }, description },
      newChange(actor, organizationId, now),
    )
    return secret
  })
}

/** As `stepUp`, with a passkey of the session's administrator. */
export function stepUpByPasskey(
  db: Db,
  secrets: Secrets,
  site: PasskeySite,
  asked: Proof & { session: AdmittedSession },
): Promise<string> {
  const { session, now } = asked
  return prove(db, secrets, site, asked, async (tx, passkey) => {
    const { organization_id: organizationId, admin_user_id, session_id: sessionId } = session
    if (passkey.organization_id !== organizationId || passkey.admin_user_id !== admin_user_id) return refuse()
    const secret = await rotateSession(tx, secrets, { organizationId, sessionId, now })
    const description = `Confirmed their identity in the console with the passkey "${passkey.name}".`
    await recordAudit(
      tx,
      { action: 'administrator.identity_confirmed', about: { administrator: admin_user_id }, description },
      newChange(actorOf(session), organizationId, now),
    )
    return secret
  })
}

async function prove(
  db: Db,
  secrets: Secrets,
  { rpId, origin }: PasskeySite,
  { response, now }: Proof,
  then: (tx: Tx, passkey: PasskeyRow) => Promise<string>,
): Promise<string> {
  const { id } = response
  const passkey = typeof id === 'string' && id.length <= 1_400 ? await find(db, secrets, id) : undefined
  if (!passkey) return refuse()
  let challenge = ''
  const verified = await verifyAuthenticationResponse({
    // The library refuses what has another form.
    response: response as never,
    expectedChallenge: (text) => {
      challenge = text
      return isOurChallenge(secrets, text, 'sign in', '', now)
    },
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: Number(passkey.sign_count),
    },
  }).catch(() => undefined)
  if (!verified?.verified) return refuse()
  return transact(db, async (tx) => {
    if (!(await useChallenge(tx, secrets, challenge, now))) return refuse()
    await notePasskeyUse(tx, passkey, verified.authenticationInfo.newCounter, now)
    return then(tx, passkey)
  })
}

const find = (db: Db, secrets: Secrets, credentialId: string) =>
  findPasskey(db, secrets.lookupHash(passkeyPurpose, credentialId))

/** One that was removed meanwhile opens nothing. */
async function notePasskeyUse(tx: Tx, { organization_id, id }: PasskeyRow, counter: number, now: string) {
  const noted = await tx
    .updateTable('admin_passkeys')
    .set({ sign_count: String(counter), last_used_at: now })
    .where(inOrganization('admin_passkeys', organization_id))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!noted) refuse()
}

const refuse = (): never =>
  fail('sign_in_failed', { message: 'The passkey is not known here, or its answer is not valid.' })
