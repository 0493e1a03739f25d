import type {
  NewEntraConnection,
  NewSignInConnection,
  SignInConnectionChange,
} from '@muster/contract/console-sign-in.ts'
import { signInOperations } from '@muster/contract/operations/console-sign-in.ts'
import { signInExceptionOperations } from '@muster/contract/operations/sign-in-exceptions.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { nothingWaits, rotateSigningKey } from '../../keys/rotate-signing-key.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { type UpstreamEgress, upstreamEgress } from '../egress/upstream-egress.ts'
import { changeConnection, deleteConnection, rollConnectionSecret } from './change-connection.ts'
import { confirmEnforcement } from './confirm-enforcement.ts'
import { createConnection } from './create-connection.ts'
import { createEntraConnection } from './create-entra-connection.ts'
import { entraAddresses } from './entra-rules.ts'
import { pauseConnection, resumeConnection } from './pause-connection.ts'
import { readKeysAt } from './read-keys-at.ts'
import { keySetFault, readRequestKeys } from './read-request-keys.ts'
import { issuerPath, requireSignInAddress } from './sign-in-address.ts'

/** The connections that people sign in through, for administrators. */
export function connectionRoutes(scope: FastifyInstance): void {
  const { db, secrets, config } = scope.kit
  const egress = upstreamEgress(config)

  sessionRoute(scope, {
    ...signInOperations.createSignInConnection,
    run: async ({ body, context }): Promise<NewSignInConnection> => {
      const address = await requireSignInAddress(db, context.organizationId, config.baseUrl)
      const { kind, name, mode, is_public: isPublic = false } = body
      const asked = {
        ...(await changeOf(egress, body)),
        kind,
        name,
        redirectUris: body.redirect_uris,
        isPublic,
        ...(mode && { mode }),
      }
      const made = await transact(db, (tx) => createConnection(tx, secrets, asked, context))
      return present(made, address)
    },
  })
  sessionRoute(scope, {
    ...signInOperations.createEntraConnection,
    run: async ({ body, context }): Promise<NewEntraConnection> => {
      const address = await requireSignInAddress(db, context.organizationId, config.baseUrl)
      const { name, cloud, tenant_ids: tenantIds, app_id: appId, mode } = body
      const asked = { ...(await changeOf(egress, body)), name, cloud, tenantIds, appId, ...(mode && { mode }) }
      const { id, clientId } = await transact(db, (tx) => createEntraConnection(tx, asked, context))
      const { issuer, discoveryUrl, authorizationEndpoint } = entraAddresses(address, id)
      const addresses = { issuer, discovery_url: discoveryUrl, authorization_endpoint: authorizationEndpoint }
      return { id, client_id: clientId, ...addresses }
    },
  })
  sessionRoute(scope, {
    ...signInOperations.changeSignInConnection,
    run: async (call) => {
      const { body, context } = call
      if (body.mode !== 'disabled') await requireSignInAddress(db, context.organizationId, config.baseUrl)
      const { mode, refused_count: refusedCount } = body
      const change = { ...(await changeOf(egress, body)), id: recordIdOf(call), ...(mode && { mode }) }
      await transact(db, async (tx) => {
        const { organizationId, now } = context
        if (mode === 'enforce') {
          await confirmEnforcement(tx, { organizationId, connectionId: change.id, refusedCount, now })
        }
        await changeConnection(tx, change, context)
      })
    },
  })
  sessionRoute(scope, {
    ...signInOperations.rollSignInConnectionSecret,
    run: async (call): Promise<NewSignInConnection> => {
      const address = await requireSignInAddress(db, call.context.organizationId, config.baseUrl)
      const rolled = await transact(db, (tx) =>
        rollConnectionSecret(tx, secrets, { id: recordIdOf(call) }, call.context),
      )
      return present(rolled, address)
    },
  })
  sessionRoute(scope, {
    ...signInOperations.deleteSignInConnection,
    run: async (call) => {
      await transact(db, (tx) => deleteConnection(tx, { id: recordIdOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...signInExceptionOperations.pauseSignInConnection,
    run: async (call) => {
      const { minutes, reason } = call.body
      const { pausedUntil } = await transact(db, (tx) =>
        pauseConnection(tx, { id: recordIdOf(call), minutes, reason }, call.context),
      )
      return { paused_until: pausedUntil }
    },
  })
  sessionRoute(scope, {
    ...signInExceptionOperations.resumeSignInConnection,
    run: async (call) => {
      await transact(db, (tx) => resumeConnection(tx, { id: recordIdOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...signInOperations.rotateSignInKeys,
    run: async ({ body, context }) => {
      const { is_emergency: isEmergency, purpose = 'oidc' } = body
      const ring = { organizationId: context.organizationId, purpose }
      const { kid, activeFrom } = await rotateSigningKey(
        db,
        secrets,
        { ring, isEmergency, resign: nothingWaits, record: recordAudit },
        context,
      )
      return { kid, active_from: activeFrom }
    },
  })
}

/** What a body says of a connection, in the names of the commands. Keys are read where the caller publishes them. */
async function changeOf(egress: UpstreamEgress, body: SignInConnectionChange) {
  const { request_keys: keySet, request_keys_url: keysUrl } = body
  const keys = keySet ? readRequestKeys(keySet) : null
  if (keys === undefined) {
    return fail('invalid', { errors: [{ field: 'request_keys', message: keySetFault }] })
  }
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.redirect_uris !== undefined && { redirectUris: body.redirect_uris }),
    ...(body.post_logout_redirect_uris && { postLogoutRedirectUris: body.post_logout_redirect_uris }),
    ...(body.requires_pkce !== undefined && { requiresPkce: body.requires_pkce }),
    ...(keySet !== undefined && { requestKeys: keys }),
    ...(keysUrl === null && { requestKeysUrl: null }),
    ...(typeof keysUrl === 'string' && { requestKeysUrl: keysUrl, requestKeys: await readKeysAt(egress, keysUrl) }),
    ...(body.start_url !== undefined && { startUrl: body.start_url }),
    ...(body.is_browser_managed !== undefined && { isBrowserManaged: body.is_browser_managed }),
    ...(body.wait_seconds !== undefined && { waitSeconds: body.wait_seconds }),
    ...(body.upstream_id !== undefined && { upstreamId: body.upstream_id }),
    ...(body.group_ids !== undefined && { groupIds: body.group_ids }),
    ...(body.entra && { entra: entraChangeOf(body.entra) }),
  }
}

const entraChangeOf = ({
  cloud,
  tenant_ids: tenantIds,
  app_id: appId,
}: NonNullable<SignInConnectionChange['entra']>) => ({
  ...(cloud && { cloud }),
  ...(tenantIds && { tenantIds }),
  ...(appId !== undefined && { appId }),
})

type Made = { id: string; clientId: string; clientSecret: string | undefined }

const present = ({ id, clientId, clientSecret }: Made, address: string): NewSignInConnection => ({
  id,
  client_id: clientId,
  client_secret: clientSecret ?? null,
  issuer: `${address}${issuerPath}`,
})
