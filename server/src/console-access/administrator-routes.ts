import {
  AdministratorChange,
  AdministratorInvitation,
  type AdministratorLink,
  type SignInState,
} from '@muster/contract/console.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { addAdminUser } from '../admin-users/add-admin-user.ts'
import { removeAdminUser } from '../admin-users/remove-admin-user.ts'
import { updateAdminUser } from '../admin-users/update-admin-user.ts'
import { type Tx, transact } from '../db/transact.ts'
import { orNotFound } from '../errors.ts'
import { actorOf } from './admit-session.ts'
import type { Gate } from './door-routes.ts'
import { type SessionCall, sessionRoute } from './endpoint-routes.ts'
import { inviteAdmin } from './invite-admin.ts'
import { presentSignInState } from './present.ts'
import { findSignInState } from './queries.ts'
import { revokeSessions } from './revoke-sessions.ts'

const commonOf = ({ session, now }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  actor: actorOf(session),
  now,
})

const idOf = ({ params }: SessionCall<unknown>): string => params['id'] ?? ''

/** Administrators are listed by `/admin_users`; here they are invited, changed and let go. */
export function administratorRoutes(scope: FastifyInstance, gate: Gate): void {
  const { db, secrets, config } = scope.kit
  const { baseUrl } = config
  const linkFor = async (tx: Tx, call: SessionCall<unknown>, purpose: 'invite' | 'reset', adminUserId: string) => {
    const link = await inviteAdmin(tx, secrets, { ...commonOf(call), adminUserId, purpose, baseUrl })
    return { administrator_id: adminUserId, url: link.url, expires_at: link.expiresAt }
  }

  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/administrators',
    requires: 'manage_administrators',
    needsFreshProof: true,
    body: AdministratorInvitation,
    run: (call): Promise<AdministratorLink> =>
      transact(db, async (tx) => {
        const { first_name: firstName, last_name: lastName = '', restrictions, ...rest } = call.body
        const details = { ...commonOf(call), ...rest, firstName, lastName, restrictions }
        const id = await addAdminUser(tx, details, { cause: ulid(), now: call.now })
        return linkFor(tx, call, 'invite', id)
      }),
  })
  for (const purpose of ['invite', 'reset'] as const) {
    sessionRoute(scope, gate, {
      method: 'POST',
      path: `/session/administrators/:id/${purpose}`,
      requires: 'manage_administrators',
      needsFreshProof: true,
      run: (call): Promise<AdministratorLink> => transact(db, (tx) => linkFor(tx, call, purpose, idOf(call))),
    })
  }
  sessionRoute(scope, gate, {
    method: 'PATCH',
    path: '/session/administrators/:id',
    requires: 'manage_administrators',
    needsFreshProof: true,
    body: AdministratorChange,
    run: async (call) => {
      await transact(db, (tx) => updateAdminUser(tx, { ...commonOf(call), ...call.body, id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/administrators/:id',
    requires: 'manage_administrators',
    needsFreshProof: true,
    run: async (call) => {
      await transact(db, (tx) => removeAdminUser(tx, { ...commonOf(call), id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'GET',
    path: '/session/administrators/:id',
    requires: 'manage_administrators',
    run: async (call): Promise<SignInState> => {
      const asked = { ...commonOf(call), adminUserId: idOf(call) }
      return presentSignInState(orNotFound(await findSignInState(db, asked)), call.session.session_id)
    },
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/administrators/:id/sessions',
    requires: 'manage_administrators',
    needsFreshProof: true,
    run: async (call) => {
      await transact(db, (tx) => revokeSessions(tx, { ...commonOf(call), adminUserId: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
}
