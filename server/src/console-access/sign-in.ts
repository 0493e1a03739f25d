import { recordAudit } from '../audit/record-audit.ts'
import { inOrganization } from '../db/in-organization.ts'
import { type Db, type Tx, transact } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { verifyPassword } from './passwords.ts'
import { type Account, findAccounts } from './queries.ts'
import { type Browser, startSession } from './start-session.ts'
import { admitAttempt, forgiveAttempt } from './throttle-sign-ins.ts'

type Asked = Browser & { email: string; password: string; organization?: string | undefined; now: string }

export type SignInOutcome =
  | { outcome: 'signed_in'; secret: string }
  | { outcome: 'refused' }
  | { outcome: 'closed'; waitSeconds: number }

/**
 * Signs in by password. Whoever is refused learns nothing of accounts: an unknown address, one without a password and
 * a wrong password take one hash each, are counted and answered alike.
 */
export async function signIn(db: Db, secrets: Secrets, asked: Asked): Promise<SignInOutcome> {
  const { email, password, ipAddress, userAgent, now } = asked
  const { waitSeconds, failures } = await admitAttempt(db, secrets, asked)
  if (waitSeconds > 0) return { outcome: 'closed', waitSeconds }
  const accounts = await findAccounts(db, email, asked.organization)
  const account = accounts.length === 1 ? accounts[0] : undefined
  const isRight = await verifyPassword(secrets, password, account?.password_hash ?? null)
  if (!account || !isRight) return { outcome: 'refused' }
  const { organization_id: organizationId, id: adminUserId } = account
  return transact(db, async (tx) => {
    if (!(await holdsPassword(tx, account))) return { outcome: 'refused' }
    await forgiveAttempt(tx, secrets, asked)
    const session = { organizationId, adminUserId, method: 'password', ipAddress, userAgent, now } as const
    const secret = await startSession(tx, secrets, session)
    const name = `${account.first_name} ${account.last_name}`.trim()
    const actor = { type: 'User', id: adminUserId, name, email: account.email } as const
    const tries =
      failures === 0 ? '' : `, after ${failures} failed ${failures === 1 ? 'try' : 'tries'} for this address`
    const description = `Signed in to the console with a password${tries}.`
    await recordAudit(tx, { organizationId, actor, description, ipAddress, now })
    return { outcome: 'signed_in', secret }
  })
}

/** Whether it is still the password now that it has been hashed; held until the commit. */
async function holdsPassword(tx: Tx, { organization_id, id, password_hash }: Account): Promise<boolean> {
  const held = await tx
    .selectFrom('admin_credentials')
    .select('admin_user_id')
    .where(inOrganization('admin_credentials', organization_id))
    .where('admin_user_id', '=', id)
    .where('password_hash', '=', password_hash)
    .forShare()
    .executeTakeFirst()
  return held !== undefined
}
