import {
  CodeRequest,
  type ConsoleSession,
  PasswordChange,
  ProofRequest,
  type RecoveryCodes,
  type SignInState,
  type TotpSetup,
} from '@muster/contract/console.ts'
import { type ConsolePreferences, ConsolePreferencesChange } from '@muster/contract/console-preferences.ts'
import type { FastifyInstance } from 'fastify'
import { type Tx, transact } from '../db/transact.ts'
import { orNotFound } from '../errors.ts'
import { actorOf } from './admit-session.ts'
import { beginTotp, disableTotp, enableTotp, renewRecoveryCodes } from './change-totp.ts'
import type { Gate } from './door-routes.ts'
import { type SessionCall, sessionRoute } from './endpoint-routes.ts'
import { changePreferences } from './preferences.ts'
import { presentSignInState } from './present.ts'
import { findSignInState } from './queries.ts'
import { requireFreshProof } from './require-rights.ts'
import { revokeSessions } from './revoke-sessions.ts'
import { changePassword, stepUp } from './step-up.ts'
import { base32, totpUri } from './totp.ts'
import { secretOf, welcome } from './welcome-routes.ts'

const placeOf = ({ session, now }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  adminUserId: session.admin_user_id,
  actor: actorOf(session),
  now,
})

/** What administrators see and change of their own account. */
export function accountRoutes(scope: FastifyInstance, gate: Gate): void {
  const { db } = scope.kit
  sessionRoute(scope, gate, {
    method: 'PATCH',
    path: '/session/preferences',
    body: ConsolePreferencesChange,
    run: (call): Promise<ConsolePreferences> => transact(db, (tx) => changePreferences(tx, placeOf(call), call.body)),
  })
  addProofs(scope, gate)
  addSessions(scope, gate)
  addTotp(scope, gate)
}

function addProofs(scope: FastifyInstance, gate: Gate): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/step_up',
    isBeforeFactor: true,
    body: ProofRequest,
    run: async ({ body, session, browser, now, reply }): Promise<ConsoleSession> => {
      const outcome = await stepUp(db, secrets, { ...body, session, browser, now })
      return welcome(scope.kit, gate, reply, secretOf(outcome, reply))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/password',
    body: PasswordChange,
    run: async ({ body, session, browser, now, reply }): Promise<ConsoleSession> => {
      const { new_password: newPassword, ...proof } = body
      const outcome = await changePassword(db, secrets, { ...proof, newPassword, session, browser, now })
      return welcome(scope.kit, gate, reply, secretOf(outcome, reply))
    },
  })
}

function addSessions(scope: FastifyInstance, gate: Gate): void {
  const { db } = scope.kit
  sessionRoute(scope, gate, {
    method: 'GET',
    path: '/session/account',
    isBeforeFactor: true,
    run: async (call): Promise<SignInState> =>
      presentSignInState(orNotFound(await findSignInState(db, placeOf(call))), call.session.session_id),
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/sessions/:id',
    run: async (call) => {
      await transact(db, (tx) => revokeSessions(tx, { ...placeOf(call), sessionId: call.params['id'] ?? '' }))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/sessions/end_others',
    run: async (call) => {
      await transact(db, (tx) => revokeSessions(tx, { ...placeOf(call), exceptId: call.session.session_id }))
      return call.reply.code(204).send()
    },
  })
}

function addTotp(scope: FastifyInstance, gate: Gate): void {
  const { db, secrets } = scope.kit
  const change = <Answer>(call: SessionCall<unknown>, work: (tx: Tx) => Promise<Answer>): Promise<Answer> => {
    requireFreshProof(call.session, call.now)
    return transact(db, work)
  }
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/totp',
    isBeforeFactor: true,
    run: async (call): Promise<TotpSetup> => {
      const secret = await change(call, (tx) => beginTotp(tx, secrets, placeOf(call)))
      const { email, organization_name: organization } = call.session
      return { secret: base32(secret), uri: totpUri(secret, { email, organization }) }
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/totp/enable',
    isBeforeFactor: true,
    body: CodeRequest,
    run: async (call): Promise<RecoveryCodes> => ({
      recovery_codes: await change(call, (tx) => enableTotp(tx, secrets, { ...placeOf(call), ...call.body })),
    }),
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/totp',
    run: async (call) => {
      await change(call, (tx) => disableTotp(tx, placeOf(call)))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/recovery_codes',
    run: async (call): Promise<RecoveryCodes> => ({
      recovery_codes: await change(call, (tx) => renewRecoveryCodes(tx, secrets, placeOf(call))),
    }),
  })
}
