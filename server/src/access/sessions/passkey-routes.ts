import type { AddedPasskey, ConsoleSession, PasskeyOptions } from '@muster/contract/console.ts'
import { sessionOperations } from '@muster/contract/operations/console-sessions.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { openRoute, type SessionCall, sessionRoute } from '../../http/session-endpoint.ts'
import { addPasskey, passkeyOptions, removePasskey } from './add-passkey.ts'
import { passkeySite } from './passkey-site.ts'
import { proofOptions, signInByPasskey, stepUpByPasskey } from './prove-passkey.ts'
import type { ConsoleGuard } from './session-scheme.ts'
import { welcome } from './welcome-routes.ts'

const askedBy = ({ session }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  adminUserId: session.admin_user_id,
  email: session.email,
})

/** Passkeys, where there can be any. */
export function passkeyRoutes(scope: FastifyInstance, guard: ConsoleGuard): void {
  const { db, secrets, config } = scope.kit
  const site = passkeySite(config.baseUrl)
  if (!site) return
  openRoute(scope, {
    ...sessionOperations.getPasskeyProofOptions,
    run: async ({ now }): Promise<PasskeyOptions> => ({ options: await proofOptions(secrets, site, now) }),
  })
  openRoute(scope, {
    ...sessionOperations.signInByPasskey,
    run: async ({ body, browser, now, reply }): Promise<ConsoleSession> =>
      welcome(scope.kit, guard, reply, await signInByPasskey(db, secrets, site, { ...body, browser, now })),
  })
  sessionRoute(scope, {
    ...sessionOperations.stepUpByPasskey,
    run: async ({ body, session, browser, now, reply }): Promise<ConsoleSession> =>
      welcome(scope.kit, guard, reply, await stepUpByPasskey(db, secrets, site, { ...body, session, browser, now })),
  })
  sessionRoute(scope, {
    ...sessionOperations.getPasskeyCreationOptions,
    run: async (call): Promise<PasskeyOptions> => {
      return { options: await passkeyOptions(db, secrets, site, askedBy(call), call.context) }
    },
  })
  sessionRoute(scope, {
    ...sessionOperations.addPasskey,
    run: async (call): Promise<AddedPasskey> => {
      const { id, recoveryCodes } = await addPasskey(
        db,
        secrets,
        site,
        { ...askedBy(call), ...call.body },
        call.context,
      )
      return { id, recovery_codes: recoveryCodes }
    },
  })
  sessionRoute(scope, {
    ...sessionOperations.removePasskey,
    run: async (call) => {
      await transact(db, (tx) => removePasskey(tx, { ...askedBy(call), id: call.params['id'] ?? '' }, call.context))
    },
  })
}
