import type { ConsoleSession, RecoveryCodes, SignInState, TotpSetup } from '@muster/contract/console.ts'
import type { ConsolePreferences } from '@muster/contract/console-preferences.ts'
import { sessionOperations } from '@muster/contract/operations/console-sessions.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type SessionCall, sessionRoute } from '../../http/session-endpoint.ts'
import { beginTotp, disableTotp, enableTotp, renewRecoveryCodes } from './change-totp.ts'
import { changePreferences } from './preferences.ts'
import { presentSignInState } from './present.ts'
import { findSignInState } from './queries.ts'
import { revokeSessions } from './revoke-sessions.ts'
import type { ConsoleGuard } from './session-scheme.ts'
import { changePassword, stepUp } from './step-up.ts'
import { base32, totpUri } from './totp.ts'
import { refusalOf, secretOf, welcome } from './welcome-routes.ts'

const placeOf = ({ session }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  adminUserId: session.admin_user_id,
})

/** What administrators see and change of their own account. */
export function accountRoutes(scope: FastifyInstance, guard: ConsoleGuard): void {
  const { db } = scope.kit
  sessionRoute(scope, {
    ...sessionOperations.updatePreferences,
    run: (call): Promise<ConsolePreferences> => transact(db, (tx) => changePreferences(tx, placeOf(call), call.body)),
  })
  addProofs(scope, guard)
  addSessions(scope)
  addTotp(scope)
}

function addProofs(scope: FastifyInstance, guard: ConsoleGuard): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, {
    ...sessionOperations.stepUp,
    run: async ({ body, session, browser, now, reply }): Promise<ConsoleSession> => {
      const outcome = await stepUp(db, secrets, { ...body, session, browser, now })
      return welcome(scope.kit, guard, reply, secretOf(outcome, reply, refusalOf(body)))
    },
  })
  sessionRoute(scope, {
    ...sessionOperations.changePassword,
    run: async ({ body, session, browser, now, reply }): Promise<ConsoleSession> => {
      const { new_password: newPassword, ...proof } = body
      const outcome = await changePassword(db, secrets, { ...proof, newPassword, session, browser, now })
      return welcome(scope.kit, guard, reply, secretOf(outcome, reply, refusalOf(body)))
    },
  })
}

function addSessions(scope: FastifyInstance): void {
  const { db } = scope.kit
  sessionRoute(scope, {
    ...sessionOperations.getAccount,
    run: async (call): Promise<SignInState> =>
      presentSignInState(
        orNotFound(await findSignInState(db, { ...placeOf(call), now: call.now })),
        call.session.session_id,
      ),
  })
  sessionRoute(scope, {
    ...sessionOperations.endSession,
    run: async (call) => {
      await transact(db, (tx) =>
        revokeSessions(tx, { ...placeOf(call), sessionId: call.params['id'] ?? '' }, call.context),
      )
    },
  })
  sessionRoute(scope, {
    ...sessionOperations.endOtherSessions,
    run: async (call) => {
      await transact(db, (tx) =>
        revokeSessions(tx, { ...placeOf(call), exceptId: call.session.session_id }, call.context),
      )
    },
  })
}

function addTotp(scope: FastifyInstance): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, {
    ...sessionOperations.beginTotp,
    run: async (call): Promise<TotpSetup> => {
      const secret = await transact(db, (tx) => beginTotp(tx, secrets, placeOf(call), call.context))
      const { email, organization_name: organization } = call.session
      return { secret: base32(secret), uri: totpUri(secret, { email, organization }) }
    },
  })
  sessionRoute(scope, {
    ...sessionOperations.enableTotp,
    run: async (call): Promise<RecoveryCodes> => ({
      recovery_codes: await transact(db, (tx) =>
        enableTotp(tx, secrets, { ...placeOf(call), ...call.body }, call.context),
      ),
    }),
  })
  sessionRoute(scope, {
    ...sessionOperations.disableTotp,
    run: async (call) => {
      await transact(db, (tx) => disableTotp(tx, placeOf(call), call.context))
    },
  })
  sessionRoute(scope, {
    ...sessionOperations.renewRecoveryCodes,
    run: async (call): Promise<RecoveryCodes> => ({
      recovery_codes: await transact(db, (tx) => renewRecoveryCodes(tx, secrets, placeOf(call), call.context)),
    }),
  })
}
