import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import {
  type AdminPlace,
  deleteRecoveryCodes,
  holdsFactor,
  lockAdmin,
  lockCredentials,
  storeRecoveryCodes,
  totpPlace,
  useTotpCode,
} from './second-factor.ts'
import { generateRecoveryCodes, generateTotpSecret } from './totp.ts'

/** Makes a secret for an authenticator app. It asks for nothing yet: `enableTotp` proves that the app has it. */
export async function beginTotp(tx: Tx, secrets: Secrets, asked: AdminPlace, context: ChangeContext): Promise<Buffer> {
  const locked = await lockCredentials(tx, asked)
  if (locked?.totp_enabled_at != null) refuseCode('is set up already: take the authenticator app away first')
  const secret = generateTotpSecret()
  const sealed = { sealed_totp_secret: secrets.seal(secret, totpPlace(asked)), totp_last_step: null }
  await tx
    .insertInto('admin_credentials')
    .values({ organization_id: context.organizationId, admin_user_id: asked.adminUserId, ...sealed })
    .onConflict((conflict) => conflict.constraint('admin_credentials_pkey').doUpdateSet(sealed))
    .execute()
  return secret
}

/** From now on signing in asks for a code. Returns the recovery codes, shown this once. */
export async function enableTotp(
  tx: Tx,
  secrets: Secrets,
  asked: AdminPlace & { code: string },
  context: ChangeContext,
): Promise<string[]> {
  const { organizationId, now } = context
  const { adminUserId, code } = asked
  await lockAdmin(tx, asked)
  const locked = await lockCredentials(tx, asked)
  if (!locked?.sealed_totp_secret) return refuseCode('needs an authenticator app that was set up before')
  if (locked.totp_enabled_at !== null) return refuseCode('is not needed: the authenticator app is in use already')
  if (!(await useTotpCode(tx, secrets, { organizationId, adminUserId, code, now, locked }))) {
    return refuseCode('is not the code that the authenticator app shows now')
  }
  await write(tx, asked, { totp_enabled_at: now })
  const codes = generateRecoveryCodes()
  await storeRecoveryCodes(tx, secrets, asked, codes)
  const description = 'Set up an authenticator app as second factor, with ten recovery codes.'
  await recordAudit(
    tx,
    { action: 'administrator.totp_enabled', about: { administrator: adminUserId }, description },
    context,
  )
  return codes
}

/** Signing in asks for no code anymore. Returns whether anything changed. */
export async function disableTotp(tx: Tx, asked: AdminPlace, context: ChangeContext): Promise<boolean> {
  await lockAdmin(tx, asked)
  const locked = await lockCredentials(tx, asked)
  if (!locked?.sealed_totp_secret) return false
  await write(tx, asked, { sealed_totp_secret: null, totp_enabled_at: null, totp_last_step: null })
  if (locked.totp_enabled_at === null) return true
  const holdsAnother = await holdsFactor(tx, asked)
  if (!holdsAnother) await deleteRecoveryCodes(tx, asked)
  const description = holdsAnother
    ? 'Took the authenticator app away; passkeys are left as second factor.'
    : 'Took the authenticator app and the recovery codes away: signing in needs no second factor.'
  await recordAudit(
    tx,
    { action: 'administrator.totp_disabled', about: { administrator: asked.adminUserId }, description },
    context,
  )
  return true
}

/** New ones in place of those there are, shown this once. */
export async function renewRecoveryCodes(
  tx: Tx,
  secrets: Secrets,
  asked: AdminPlace,
  context: ChangeContext,
): Promise<string[]> {
  await lockAdmin(tx, asked)
  if (!(await holdsFactor(tx, asked))) return refuseCode('needs a second factor first: recovery codes replace one')
  const codes = generateRecoveryCodes()
  await storeRecoveryCodes(tx, secrets, asked, codes)
  await recordAudit(
    tx,
    {
      action: 'administrator.recovery_codes_renewed',
      about: { administrator: asked.adminUserId },
      description: 'Made ten new recovery codes.',
    },
    context,
  )
  return codes
}

type Columns = { sealed_totp_secret?: null; totp_enabled_at: string | null; totp_last_step?: null }

const write = (tx: Tx, { organizationId, adminUserId }: AdminPlace, columns: Columns) =>
  tx
    .updateTable('admin_credentials')
    .set(columns)
    .where(inOrganization('admin_credentials', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .execute()

const refuseCode = (message: string): never => fail('invalid', { errors: [{ field: 'code', message }] })
