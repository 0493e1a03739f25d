import type { ConsoleSession } from '@muster/contract/console.ts'
import type { FastifyReply } from 'fastify'
import type { AdmittedSession } from '../../base/callers.ts'
import type { Db } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Kit } from '../../http/kit.ts'
import { sourceOf } from '../../http/request-source.ts'
import { admitSession } from './admit-session.ts'
import { rememberDevice } from './known-device.ts'
import { readPreferences } from './preferences.ts'
import { presentSession } from './present.ts'
import type { ConsoleGuard } from './session-scheme.ts'
import type { SignInOutcome } from './sign-in.ts'
import { sessionPurpose } from './start-session.ts'

/** Gives the browser a session's secret, and answers with what its page needs to know. */
export async function welcome(
  kit: Kit,
  guard: ConsoleGuard,
  reply: FastifyReply,
  secret: string,
): Promise<ConsoleSession> {
  const session = await giveSession(kit, guard, reply, secret)
  return describeSession(kit.db, session, guard.csrfTokenOf(secret))
}

/** Gives the browser a session's secret, and remembers that this administrator has signed in there. */
export async function giveSession(
  { db, secrets, clock }: Kit,
  guard: ConsoleGuard,
  reply: FastifyReply,
  secret: string,
): Promise<AdmittedSession> {
  const { request } = reply
  const now = clock()
  const admitted = await admitSession(db, secrets.lookupHash(sessionPurpose, secret), {
    now,
    isBackground: false,
    source: sourceOf(request),
  })
  const session = admitted ?? fail('not_signed_in')
  const device = rememberDevice(secrets, {
    cookie: guard.deviceCookie.read(request.headers.cookie),
    email: session.email,
    now,
  })
  reply.header('set-cookie', [guard.cookie.give(secret), guard.deviceCookie.give(device)])
  return session
}

export async function describeSession(db: Db, session: AdmittedSession, csrfToken: string): Promise<ConsoleSession> {
  const { organization_id: organizationId, admin_user_id: adminUserId } = session
  return presentSession(session, csrfToken, await readPreferences(db, { organizationId, adminUserId }))
}

/** Of those whose address is known already. */
export const refusalOf = ({ code }: { code?: string | undefined }): string =>
  code === undefined ? 'The password is wrong.' : 'The password or the code is wrong.'

/** The secret, or the refusal as an answer; `refused` says what was wrong, where that is more than the code's sentence. */
export function secretOf(outcome: SignInOutcome, reply: FastifyReply, refused?: string): string {
  switch (outcome.outcome) {
    case 'signed_in':
      return outcome.secret
    case 'refused':
      return fail('sign_in_failed', refused === undefined ? {} : { message: refused })
    case 'code_needed':
      return fail('code_needed')
    case 'closed':
      reply.header('retry-after', String(outcome.waitSeconds))
      return fail('rate_limited', { message: 'Too many failed attempts. Wait the number of seconds in Retry-After.' })
  }
}
