import type { ApiKeyCreation, ConsoleApiKey, ConsoleApiKeys, RevealedApiKey } from '@muster/contract/console.ts'
import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type SessionCall, sessionRoute } from '../../http/session-endpoint.ts'
import { changePermissions, refuseUnacceptableChange } from './change-permissions.ts'
import { createApiKey, type NewApiKey, refuseUnacceptableKey } from './create-api-key.ts'
import { countKeysToReview, listApiKeysAfter, readApiKey } from './queries.ts'
import { revealApiKey } from './reveal-api-key.ts'
import { reviewApiKey } from './review-api-key.ts'
import { revokeApiKey } from './revoke-api-key.ts'

const idOf = ({ params }: SessionCall<unknown>): string => params['id'] ?? ''

function newKeyOf({ body, context }: SessionCall<ApiKeyCreation>): NewApiKey {
  const { name, permissions, responsible_administrator: named, expires_at: expiresAt } = body
  return { name, permissions, responsibleAdministrator: named ?? context.actor.name, expiresAt }
}

const keysPerPage = 100

/** API keys, which no key can manage. */
export function keyRoutes(scope: FastifyInstance): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, {
    ...settingOperations.listApiKeys,
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
  sessionRoute(scope, {
    ...settingOperations.getApiKey,
    run: async (call): Promise<ConsoleApiKey> =>
      orNotFound(await readApiKey(db, call.session.organization_id, idOf(call))),
  })
  sessionRoute(scope, {
    ...settingOperations.createApiKey,
    refuse: (call) => refuseUnacceptableKey(newKeyOf(call), call.context),
    run: (call): Promise<RevealedApiKey> =>
      transact(db, (tx) => createApiKey(tx, secrets, newKeyOf(call), call.context)),
  })
  sessionRoute(scope, {
    ...settingOperations.revealApiKey,
    run: async (call): Promise<RevealedApiKey> => {
      const asked = { id: idOf(call) }
      return { id: asked.id, key: await transact(db, (tx) => revealApiKey(tx, secrets, asked, call.context)) }
    },
  })
  sessionRoute(scope, {
    ...settingOperations.updateApiKeyPermissions,
    refuse: ({ body }) => refuseUnacceptableChange(body),
    run: async (call) => {
      await transact(db, (tx) => changePermissions(tx, { ...call.body, id: idOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.reviewApiKey,
    run: async (call) => {
      await transact(db, (tx) => reviewApiKey(tx, { id: idOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.revokeApiKey,
    run: async (call) => {
      await transact(db, (tx) => revokeApiKey(tx, { id: idOf(call) }, call.context))
    },
  })
}
