import { type AdmittedSession, actorOf, type Browser } from '../../base/callers.ts'
import { newChange } from '../../base/change-context.ts'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { endSessions } from './end-sessions.ts'
import { hashPassword } from './passwords.ts'
import { findAccounts } from './queries.ts'
import { refusePassword } from './refuse-password.ts'
import { rotateSession } from './rotate-session.ts'
import { setPassword } from './set-password.ts'
import { proveIdentity, type SignInOutcome } from './sign-in.ts'

type Proof = { password: string; code?: string | undefined; session: AdmittedSession; browser: Browser; now: string }

const placeOf = ({ organization_id, admin_user_id }: AdmittedSession) => ({
  organizationId: organization_id,
  adminUserId: admin_user_id,
})

/** Whoever has the session proves again who they are; the session continues under another secret. */
export function stepUp(db: Db, secrets: Secrets, asked: Proof): Promise<SignInOutcome> {
  const { session, now } = asked
  return prove(db, secrets, asked, async (tx, proof) => {
    const { organizationId } = placeOf(session)
    const secret = await rotateSession(tx, secrets, { organizationId, sessionId: session.session_id, now })
    const description = `Confirmed their identity in the console ${proof}.`
    await recordAudit(
      tx,
      { action: 'administrator.identity_confirmed', about: { administrator: session.admin_user_id }, description },
      newChange(actorOf(session), organizationId, now),
    )
    return secret
  })
}

/** Ends the other sessions as well, as one of them may be why. */
export async function changePassword(
  db: Db,
  secrets: Secrets,
  asked: Proof & { newPassword: string },
): Promise<SignInOutcome> {
  const { session, newPassword, now } = asked
  await refusePassword(newPassword, session, 'new_password')
  const passwordHash = await hashPassword(secrets, newPassword)
  return prove(db, secrets, asked, async (tx, proof) => {
    const place = placeOf(session)
    await setPassword(tx, { ...place, passwordHash, now })
    await endSessions(tx, { ...place, exceptId: session.session_id, now })
    const { organizationId } = place
    const secret = await rotateSession(tx, secrets, { organizationId, sessionId: session.session_id, now })
    const description = `Changed the password and ended all other sessions, after proving who they are ${proof}.`
    await recordAudit(
      tx,
      { action: 'administrator.password_changed', about: { administrator: session.admin_user_id }, description },
      newChange(actorOf(session), organizationId, now),
    )
    return secret
  })
}

type Work = (tx: Parameters<typeof rotateSession>[0], proof: string) => Promise<string>

function prove(db: Db, secrets: Secrets, asked: Proof, work: Work): Promise<SignInOutcome> {
  const { session, browser, password, code, now } = asked
  const { email } = session
  const find = () =>
    findAccounts(db, { email, adminUserId: session.admin_user_id, organization: session.organization_id })
  const attempt = { ...browser, email, password, code, sessionId: session.session_id, now }
  return proveIdentity(db, secrets, attempt, find, async (tx, _account, proof) => ({
    outcome: 'signed_in',
    secret: await work(tx, proof),
  }))
}
