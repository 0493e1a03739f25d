import {
  ApiKeyCreation,
  ApiKeyPageQuery,
  ApiKeyPermissionChange,
  type ConsoleApiKey,
  type ConsoleApiKeys,
  type RevealedApiKey,
} from '@muster/contract/console.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import type { FastifyInstance } from 'fastify'
import { changePermissions } from '../api-keys/change-permissions.ts'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { listApiKeysAfter, readApiKey } from '../api-keys/queries.ts'
import { revealApiKey } from '../api-keys/reveal-api-key.ts'
import { revokeApiKey } from '../api-keys/revoke-api-key.ts'
import { transact } from '../db/transact.ts'
import { orNotFound } from '../errors.ts'
import { type AdmittedSession, actorOf } from './admit-session.ts'
import type { Gate } from './door-routes.ts'
import { type SessionCall, sessionRoute } from './endpoint-routes.ts'
import { requireFreshProof, requirePower } from './require-rights.ts'

const commonOf = ({ session, now }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  actor: actorOf(session),
  now,
})

const idOf = ({ params }: SessionCall<unknown>): string => params['id'] ?? ''

const keysPerPage = 100

/** API keys, which no key can manage. */
export function keyRoutes(scope: FastifyInstance, gate: Gate): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, gate, {
    method: 'GET',
    path: '/session/api_keys',
    query: ApiKeyPageQuery,
    run: async ({ session, query }): Promise<ConsoleApiKeys> => {
      requirePower(session, 'manage_keys')
      const rows = await listApiKeysAfter(db, session.organization_id, query.after_id ?? '0', keysPerPage + 1)
      const data = rows.slice(0, keysPerPage)
      return { data, next_after_id: rows.length > keysPerPage ? (data.at(-1)?.id ?? null) : null }
    },
  })
  sessionRoute(scope, gate, {
    method: 'GET',
    path: '/session/api_keys/:id',
    run: async (call): Promise<ConsoleApiKey> => {
      requirePower(call.session, 'manage_keys')
      return orNotFound(await readApiKey(db, call.session.organization_id, idOf(call)))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys',
    body: ApiKeyCreation,
    run: (call): Promise<RevealedApiKey> => {
      const { session, body, now } = call
      requirePower(session, 'manage_keys')
      requireGrantable(session, Object.keys(body.permissions) as Permission[])
      requireFreshProof(session, now)
      const { name, permissions, responsible_administrator: named } = body
      const responsibleAdministrator = named ?? actorOf(session).name
      const asked = { ...commonOf(call), name, permissions, responsibleAdministrator }
      return transact(db, (tx) => createApiKey(tx, secrets, asked))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys/:id/reveal',
    run: async (call): Promise<RevealedApiKey> => {
      requirePower(call.session, 'reveal_keys')
      requireFreshProof(call.session, call.now)
      const asked = { ...commonOf(call), id: idOf(call) }
      return { id: asked.id, key: await transact(db, (tx) => revealApiKey(tx, secrets, asked)) }
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys/:id/permissions',
    body: ApiKeyPermissionChange,
    run: async (call) => {
      const { session, body, now } = call
      requirePower(session, 'manage_keys')
      if (body.change === 'grant') requireGrantable(session, body.permissions)
      requireFreshProof(session, now)
      await transact(db, (tx) => changePermissions(tx, { ...commonOf(call), ...body, id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/api_keys/:id',
    run: async (call) => {
      requirePower(call.session, 'manage_keys')
      await transact(db, (tx) => revokeApiKey(tx, { ...commonOf(call), id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
}

/** Nobody gets more by a key than they have; what is no permission at all, the command refuses. */
function requireGrantable(session: AdmittedSession, asked: readonly Permission[]): void {
  for (const permission of asked) if (Object.hasOwn(permissions, permission)) requirePower(session, permission)
}
