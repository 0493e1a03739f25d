import {
  type AddedPasskey,
  type ConsoleSession,
  PasskeyAddition,
  type PasskeyOptions,
  PasskeyProof,
} from '@muster/contract/console.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { openRoute, type SessionCall, sessionRoute } from '../../http/session-endpoint.ts'
import type { SessionGuard } from '../../http/session-guard.ts'
import { addPasskey, passkeyOptions, removePasskey } from './add-passkey.ts'
import { actorOf } from './admit-session.ts'
import { passkeySite } from './passkey-site.ts'
import { proofOptions, signInByPasskey, stepUpByPasskey } from './prove-passkey.ts'
import { welcome } from './welcome-routes.ts'

const askedBy = ({ session, now }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  adminUserId: session.admin_user_id,
  email: session.email,
  actor: actorOf(session),
  now,
})

/** Passkeys, where there can be any. */
export function passkeyRoutes(scope: FastifyInstance, guard: SessionGuard): void {
  const { db, secrets, config } = scope.kit
  const site = passkeySite(config.baseUrl)
  if (!site) return
  openRoute(scope, guard, {
    method: 'POST',
    path: '/session/passkey/options',
    run: async ({ now }): Promise<PasskeyOptions> => ({ options: await proofOptions(secrets, site, now) }),
  })
  openRoute(scope, guard, {
    method: 'POST',
    path: '/session/passkey/sign_in',
    body: PasskeyProof,
    run: async ({ body, browser, now, reply }): Promise<ConsoleSession> =>
      welcome(scope.kit, guard, reply, await signInByPasskey(db, secrets, site, { ...body, browser, now })),
  })
  sessionRoute(scope, guard, {
    method: 'POST',
    path: '/session/passkey/step_up',
    requires: 'own_account',
    body: PasskeyProof,
    run: async ({ body, session, browser, now, reply }): Promise<ConsoleSession> =>
      welcome(scope.kit, guard, reply, await stepUpByPasskey(db, secrets, site, { ...body, session, browser, now })),
  })
  sessionRoute(scope, guard, {
    method: 'POST',
    path: '/session/passkeys/options',
    requires: 'own_account',
    needsFreshProof: true,
    isBeforeFactor: true,
    run: async (call): Promise<PasskeyOptions> => {
      return { options: await passkeyOptions(db, secrets, site, askedBy(call)) }
    },
  })
  sessionRoute(scope, guard, {
    method: 'POST',
    path: '/session/passkeys',
    requires: 'own_account',
    needsFreshProof: true,
    isBeforeFactor: true,
    body: PasskeyAddition,
    run: async (call): Promise<AddedPasskey> => {
      const { id, recoveryCodes } = await addPasskey(db, secrets, site, { ...askedBy(call), ...call.body })
      return { id, recovery_codes: recoveryCodes }
    },
  })
  sessionRoute(scope, guard, {
    method: 'DELETE',
    path: '/session/passkeys/:id',
    requires: 'own_account',
    needsFreshProof: true,
    run: async (call) => {
      await transact(db, (tx) => removePasskey(tx, { ...askedBy(call), id: call.params['id'] ?? '' }))
      return call.reply.code(204).send()
    },
  })
}
