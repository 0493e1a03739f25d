import type { AdministratorInvitation, AdministratorLink, SignInState } from '@muster/contract/console.ts'
import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { type Tx, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type SessionCall, sessionRoute } from '../../http/session-endpoint.ts'
import { acceptableAdmin, addAdminUser, type NewAdminUser } from '../administrators/add-admin-user.ts'
import { removeAdminUser } from '../administrators/remove-admin-user.ts'
import { updateAdminUser } from '../administrators/update-admin-user.ts'
import { inviteAdmin } from './invite-admin.ts'
import { presentSignInState } from './present.ts'
import { findSignInState } from './queries.ts'
import { revokeSessions } from './revoke-sessions.ts'

const idOf = ({ params }: SessionCall<unknown>): string => params['id'] ?? ''

const invitedOf = ({
  first_name: firstName,
  last_name: lastName = '',
  ...rest
}: AdministratorInvitation): NewAdminUser => ({
  ...rest,
  firstName,
  lastName,
})

/** Administrators are listed by `/admin_users`; here they are invited, changed and let go. */
export function administratorRoutes(scope: FastifyInstance): void {
  const { db, secrets, config } = scope.kit
  const { baseUrl } = config
  const linkFor = async (tx: Tx, call: SessionCall<unknown>, purpose: 'invite' | 'reset', adminUserId: string) => {
    const link = await inviteAdmin(tx, secrets, { adminUserId, purpose, baseUrl }, call.context)
    return { administrator_id: adminUserId, url: link.url, expires_at: link.expiresAt }
  }

  sessionRoute(scope, {
    ...settingOperations.inviteAdministrator,
    refuse: ({ body }) => void acceptableAdmin(invitedOf(body)),
    run: (call): Promise<AdministratorLink> =>
      transact(db, async (tx) => {
        const id = await addAdminUser(tx, invitedOf(call.body), call.context)
        return linkFor(tx, call, 'invite', id)
      }),
  })
  sessionRoute(scope, {
    ...settingOperations.renewInvitation,
    run: (call): Promise<AdministratorLink> => transact(db, (tx) => linkFor(tx, call, 'invite', idOf(call))),
  })
  sessionRoute(scope, {
    ...settingOperations.resetAdministrator,
    run: (call): Promise<AdministratorLink> => transact(db, (tx) => linkFor(tx, call, 'reset', idOf(call))),
  })
  sessionRoute(scope, {
    ...settingOperations.updateAdministrator,
    run: async (call) => {
      await transact(db, (tx) => updateAdminUser(tx, { ...call.body, id: idOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.removeAdministrator,
    run: async (call) => {
      await transact(db, (tx) => removeAdminUser(tx, { id: idOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.getAdministratorSignIn,
    run: async (call): Promise<SignInState> => {
      const asked = { organizationId: call.session.organization_id, adminUserId: idOf(call), now: call.now }
      return presentSignInState(orNotFound(await findSignInState(db, asked)), call.session.session_id)
    },
  })
  sessionRoute(scope, {
    ...settingOperations.endAdministratorSessions,
    run: async (call) => {
      await transact(db, (tx) => revokeSessions(tx, { adminUserId: idOf(call) }, call.context))
    },
  })
}
