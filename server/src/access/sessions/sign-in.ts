import type { Browser } from '../../base/callers.ts'
import { newChange } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { endEarlierSession } from './end-earlier-session.ts'
import { refuseWhenBusy, verifyPassword } from './passwords.ts'
import { type Account, findAccounts } from './queries.ts'
import { holdsFactor, useCode } from './second-factor.ts'
import { startSession } from './start-session.ts'
import { admitAttempt, forgiveAttempt, isKnown, takeBackAttempt } from './throttle-sign-ins.ts'

type Asked = Pick<Browser, 'source' | 'deviceCookie'> & {
  email: string
  password: string
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined
  /** Of a session whose holder proves again who they are. */
  sessionId?: string
  now: string
}

type Refusal =
  | { outcome: 'refused' }
  /** The password is right, and a code is asked for. */
  | { outcome: 'code_needed' }
  | { outcome: 'closed'; waitSeconds: number }

export type SignInOutcome = { outcome: 'signed_in'; secret: string } | Refusal

/** Signs in by password, with a code where the administrator has an authenticator app. */
export async function signIn(
  db: Db,
  secrets: Secrets,
  asked: Asked & Browser & { organization?: string | undefined },
): Promise<SignInOutcome> {
  const { email, source, userAgent, now } = asked
  const find = () => findAccounts(db, { email, organization: asked.organization })
  return proveIdentity(db, secrets, asked, find, async (tx, account, proof) => {
    const { organization_id: organizationId, id: adminUserId } = account
    const session = { organizationId, adminUserId, method: 'password', source, userAgent, now } as const
    await endEarlierSession(tx, secrets, asked)
    const secret = await startSession(tx, secrets, session)
    const name = `${account.first_name} ${account.last_name}`.trim()
    const actor = { type: 'User', id: adminUserId, name, email: account.email, source } as const
    await recordAudit(
      tx,
      {
        action: 'administrator.signed_in',
        about: { administrator: adminUserId },
        description: `Signed in to the console ${proof}.`,
      },
      newChange(actor, organizationId, now),
    )
    return { outcome: 'signed_in', secret }
  })
}

/**
 * Calls `then` in the transaction in which the proof was accepted. Whoever is refused learns nothing of accounts: an
 * unknown address, one without a password and a wrong password take one hash each, are counted and answered alike.
 */
export async function proveIdentity<Result>(
  db: Db,
  secrets: Secrets,
  asked: Asked,
  find: () => Promise<Account[]>,
  then: (tx: Tx, account: Account, proof: string) => Promise<Result>,
): Promise<Result | Refusal> {
  // Before anything is written, so that a flood of strangers fills no table.
  refuseWhenBusy(isKnown(secrets, asked))
  const { waitSeconds, failures } = await admitAttempt(db, secrets, asked)
  if (waitSeconds > 0) return { outcome: 'closed', waitSeconds }
  const accounts = await find()
  const account = accounts.length === 1 ? accounts[0] : undefined
  const isRight = await verifyPassword(secrets, asked.password, account?.password_hash ?? null)
  if (!account || !isRight) return { outcome: 'refused' }
  return transact(db, async (tx) => {
    const held = await holdPassword(tx, account)
    if (!held) return { outcome: 'refused' }
    const place = { organizationId: account.organization_id, adminUserId: account.id }
    const needsCode = await holdsFactor(tx, place)
    if (needsCode && asked.code === undefined) {
      await takeBackAttempt(tx, secrets, asked)
      return { outcome: 'code_needed' }
    }
    const used = needsCode ? await useCode(tx, secrets, { ...place, code: asked.code ?? '', now: asked.now }) : 'none'
    if (used === undefined) return { outcome: 'refused' }
    await forgiveAttempt(tx, secrets, asked)
    return then(tx, account, `${proofs[used]}${triesOf(failures)}`)
  })
}

const proofs = {
  none: 'with a password',
  totp: 'with a password and an authenticator app',
  recovery: 'with a password and a recovery code',
} as const

const triesOf = (failures: number): string =>
  failures === 0 ? '' : `, after ${failures} failed ${failures === 1 ? 'try' : 'tries'} for this address`

/** Whether it is still the password now that it has been hashed; held until the commit. */
const holdPassword = (tx: Tx, { organization_id, id, password_hash }: Account) =>
  tx
    .selectFrom('admin_credentials')
    .select('admin_user_id')
    .where(inOrganization('admin_credentials', organization_id))
    .where('admin_user_id', '=', id)
    .where('password_hash', '=', password_hash)
    .forUpdate()
    .executeTakeFirst()
