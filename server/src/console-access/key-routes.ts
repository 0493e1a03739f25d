import {
  ApiKeyCreation,
  ApiKeyPageQuery,
  ApiKeyPermissionChange,
  type ConsoleApiKey,
  type ConsoleApiKeys,
  type RevealedApiKey,
} from '@muster/contract/console.ts'
import type { FastifyInstance } from 'fastify'
import { changePermissions } from '../api-keys/change-permissions.ts'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { countKeysToReview, listApiKeysAfter, readApiKey } from '../api-keys/queries.ts'
import { revealApiKey } from '../api-keys/reveal-api-key.ts'
import { reviewApiKey } from '../api-keys/review-api-key.ts'
import { revokeApiKey } from '../api-keys/revoke-api-key.ts'
import { transact } from '../db/transact.ts'
import { orNotFound } from '../errors.ts'
import { actorOf } from './admit-session.ts'
import type { Gate } from './door-routes.ts'
import { type SessionCall, sessionRoute } from './endpoint-routes.ts'

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
    requires: 'manage_keys',
    query: ApiKeyPageQuery,
    run: async ({ session, query }): Promise<ConsoleApiKeys> => {
      const { organization_id: organizationId } = session
      const { after_id: afterId = '0', to_review: toReview } = query
      const page = { organizationId, afterId, isToReview: toReview === 'true', limit: keysPerPage + 1 }
      const [rows, waiting] = await Promise.all([listApiKeysAfter(db, page), countKeysToReview(db, organizationId)])
      const data = rows.slice(0, keysPerPage)
      const next = rows.length > keysPerPage ? (data.at(-1)?.id ?? null) : null
      return { data, to_review: waiting, next_after_id: next }
    },
  })
  sessionRoute(scope, gate, {
    method: 'GET',
    path: '/session/api_keys/:id',
    requires: 'manage_keys',
    run: async (call): Promise<ConsoleApiKey> =>
      orNotFound(await readApiKey(db, call.session.organization_id, idOf(call))),
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys',
    requires: 'manage_keys',
    needsFreshProof: true,
    body: ApiKeyCreation,
    run: (call): Promise<RevealedApiKey> => {
      const { session, body } = call
      const { name, permissions, responsible_administrator: named, expires_at: expiresAt } = body
      const responsibleAdministrator = named ?? actorOf(session).name
      const asked = { ...commonOf(call), name, permissions, responsibleAdministrator, expiresAt }
      return transact(db, (tx) => createApiKey(tx, secrets, asked))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys/:id/reveal',
    requires: 'reveal_keys',
    needsFreshProof: true,
    run: async (call): Promise<RevealedApiKey> => {
      const asked = { ...commonOf(call), id: idOf(call) }
      return { id: asked.id, key: await transact(db, (tx) => revealApiKey(tx, secrets, asked)) }
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys/:id/permissions',
    requires: 'manage_keys',
    needsFreshProof: true,
    body: ApiKeyPermissionChange,
    run: async (call) => {
      await transact(db, (tx) => changePermissions(tx, { ...commonOf(call), ...call.body, id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/api_keys/:id/review',
    requires: 'manage_keys',
    needsFreshProof: true,
    run: async (call) => {
      await transact(db, (tx) => reviewApiKey(tx, { ...commonOf(call), id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/api_keys/:id',
    requires: 'manage_keys',
    run: async (call) => {
      await transact(db, (tx) => revokeApiKey(tx, { ...commonOf(call), id: idOf(call) }))
      return call.reply.code(204).send()
    },
  })
}
