import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { readRecoveryCode, stepOfCode } from './totp.ts'

export type AdminPlace = { organizationId: string; adminUserId: string }

const recoveryPurpose = 'recovery code'

export const totpPlace = ({ organizationId, adminUserId }: AdminPlace): readonly string[] => [
  organizationId,
  adminUserId,
  'totp',
]

type Locked = { sealed_totp_secret: Buffer | null; totp_enabled_at: string | null; totp_last_step: string | null }

/** Uses up a code of the authenticator app, or a recovery code; says which it was, or undefined when it is neither. */
export async function useCode(
  tx: Tx,
  secrets: Secrets,
  { code, now, ...place }: AdminPlace & { code: string; now: string },
): Promise<'totp' | 'recovery' | undefined> {
  const locked = await lockCredentials(tx, place)
  if (locked?.totp_enabled_at != null && (await useTotpCode(tx, secrets, { ...place, code, now, locked })))
    return 'totp'
  return (await useRecoveryCode(tx, secrets, place, code)) ? 'recovery' : undefined
}

export const lockCredentials = (tx: Tx, { organizationId, adminUserId }: AdminPlace): Promise<Locked | undefined> =>
  tx
    .selectFrom('admin_credentials')
    .select(['sealed_totp_secret', 'totp_enabled_at', 'totp_last_step'])
    .where(inOrganization('admin_credentials', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .forUpdate()
    .executeTakeFirst()

/** RFC 6238 §5.2: a code is good once, so its step must be later than the last that was used. */
export async function useTotpCode(
  tx: Tx,
  secrets: Secrets,
  { code, now, locked, ...place }: AdminPlace & { code: string; now: string; locked: Locked },
): Promise<boolean> {
  if (!locked.sealed_totp_secret) return false
  const secret = secrets.unseal(locked.sealed_totp_secret, totpPlace(place))
  const step = stepOfCode(secret, code.replaceAll(/\s/g, ''), now)
  if (step === undefined || step <= Number(locked.totp_last_step ?? -1)) return false
  await tx
    .updateTable('admin_credentials')
    .set({ totp_last_step: String(step) })
    .where(inOrganization('admin_credentials', place.organizationId))
    .where('admin_user_id', '=', place.adminUserId)
    .execute()
  return true
}

async function useRecoveryCode(tx: Tx, secrets: Secrets, place: AdminPlace, code: string): Promise<boolean> {
  const read = readRecoveryCode(code)
  if (read === undefined) return false
  const used = await tx
    .deleteFrom('admin_recovery_codes')
    .where(inOrganization('admin_recovery_codes', place.organizationId))
    .where('admin_user_id', '=', place.adminUserId)
    .where('code_hash', '=', secrets.lookupHash(recoveryPurpose, read))
    .returning('admin_user_id')
    .executeTakeFirst()
  return used !== undefined
}

/** In place of those there were. */
export async function storeRecoveryCodes(tx: Tx, secrets: Secrets, place: AdminPlace, codes: readonly string[]) {
  const { organizationId, adminUserId } = place
  await deleteRecoveryCodes(tx, place)
  const rows = codes.map((code) => ({
    organization_id: organizationId,
    admin_user_id: adminUserId,
    code_hash: secrets.lookupHash(recoveryPurpose, code),
  }))
  await tx.insertInto('admin_recovery_codes').values(rows).execute()
}

export const deleteRecoveryCodes = (tx: Tx, { organizationId, adminUserId }: AdminPlace) =>
  tx
    .deleteFrom('admin_recovery_codes')
    .where(inOrganization('admin_recovery_codes', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .execute()

/** Makes those who change the factors of one administrator take turns. */
export const lockAdmin = (tx: Tx, { organizationId, adminUserId }: AdminPlace) =>
  tx
    .selectFrom('admin_users')
    .select('id')
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', adminUserId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Whether a password alone is not enough: there is an authenticator app or a passkey. */
export async function holdsFactor(reader: Reader, { organizationId, adminUserId }: AdminPlace): Promise<boolean> {
  const app = await reader
    .selectFrom('admin_credentials')
    .select('admin_user_id')
    .where(inOrganization('admin_credentials', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .where('totp_enabled_at', 'is not', null)
    .executeTakeFirst()
  if (app) return true
  const passkey = await reader
    .selectFrom('admin_passkeys')
    .select('id')
    .where(inOrganization('admin_passkeys', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .limit(1)
    .executeTakeFirst()
  return passkey !== undefined
}
