import {
  EnrollmentSecretCreation,
  type NewEnrollmentSecret,
  type NewScimToken,
  OrganizationChange,
  type RebuiltPackage,
  ScimTokenCreation,
  SettingsChange,
} from '@muster/contract/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { createEnrollmentSecret } from '../agents/create-enrollment-secret.ts'
import { revokeEnrollmentSecret } from '../agents/revoke-enrollment-secret.ts'
import { rotateEnrollmentSecret } from '../agents/rotate-enrollment-secret.ts'
import { transact } from '../db/transact.ts'
import { fail } from '../errors.ts'
import { endOldAddresses } from '../organizations/end-old-addresses.ts'
import { renameOrganization } from '../organizations/rename-organization.ts'
import { rebuildPackage } from '../packages/rebuild-package.ts'
import { openPackageSite } from '../packages/site.ts'
import { createScimToken } from '../scim/create-token.ts'
import { revokeScimToken } from '../scim/revoke-token.ts'
import { rotateScimToken } from '../scim/rotate-token.ts'
import { actorOf } from './admit-session.ts'
import { chooseSettings } from './choose-settings.ts'
import type { Gate } from './door-routes.ts'
import { type SessionCall, sessionRoute } from './endpoint-routes.ts'

const commonOf = ({ session, now }: SessionCall<unknown>) => ({
  organizationId: session.organization_id,
  actor: actorOf(session),
  now,
})

const oneOf = (call: SessionCall<unknown>) => ({ ...commonOf(call), id: call.params['id'] ?? '' })

/** What no key can change: the name of the organization, and what devices and identity providers are let in with. */
export function settingRoutes(scope: FastifyInstance, gate: Gate): void {
  sessionRoute(scope, gate, {
    method: 'PATCH',
    path: '/session/organization',
    requires: 'manage_settings',
    body: OrganizationChange,
    run: async (call) => {
      const change = { ...commonOf(call), ...call.body }
      await transact(scope.kit.db, (tx) => renameOrganization(tx, change))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/organization/end_old_addresses',
    requires: 'manage_settings',
    needsFreshProof: true,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => endOldAddresses(tx, commonOf(call)))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'PATCH',
    path: '/session/settings',
    requires: 'manage_settings',
    needsFreshProof: true,
    body: SettingsChange,
    run: async (call) => {
      const { session, body: wanted, now } = call
      const choice = { session, wanted, now }
      await transact(scope.kit.db, (tx) => chooseSettings(tx, choice))
      return call.reply.code(204).send()
    },
  })
  addEnrollment(scope, gate)
  addScimTokens(scope, gate)
}

function addEnrollment(scope: FastifyInstance, gate: Gate): void {
  const { db, secrets, config } = scope.kit
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/enrollment_secrets',
    requires: 'manage_settings',
    needsFreshProof: true,
    body: EnrollmentSecretCreation,
    run: async (call): Promise<NewEnrollmentSecret> => {
      const { name, person_id: personId, expires_at: expiresAt } = call.body
      const wanted = {
        ...commonOf(call),
        name,
        ...(personId !== undefined && { personId: String(personId) }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(call.now)) {
        fail('invalid', { errors: [{ field: 'expires_at', message: 'must be in the future' }] })
      }
      return transact(db, (tx) => createEnrollmentSecret(tx, secrets, wanted))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/enrollment_secrets/:id/rotate',
    requires: 'manage_settings',
    needsFreshProof: true,
    run: (call): Promise<NewEnrollmentSecret> =>
      transact(scope.kit.db, (tx) => rotateEnrollmentSecret(tx, secrets, oneOf(call))),
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/enrollment_secrets/:id',
    requires: 'manage_settings',
    needsFreshProof: true,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => revokeEnrollmentSecret(tx, oneOf(call)))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/packages/:id/rebuild',
    requires: 'manage_settings',
    needsFreshProof: true,
    run: async (call): Promise<RebuiltPackage> => {
      const site = await openPackageSite(config)
      return { file_name: await transact(db, (tx) => rebuildPackage(tx, secrets, { ...oneOf(call), site })) }
    },
  })
}

function addScimTokens(scope: FastifyInstance, gate: Gate): void {
  const { secrets } = scope.kit
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/scim_tokens',
    requires: 'manage_settings',
    needsFreshProof: true,
    feature: 'scim',
    body: ScimTokenCreation,
    run: async (call): Promise<NewScimToken> => {
      return transact(scope.kit.db, (tx) => createScimToken(tx, secrets, { ...commonOf(call), ...call.body }))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/scim_tokens/:id/rotate',
    requires: 'manage_settings',
    needsFreshProof: true,
    feature: 'scim',
    run: async (call): Promise<NewScimToken> => {
      return transact(scope.kit.db, (tx) => rotateScimToken(tx, secrets, oneOf(call)))
    },
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/scim_tokens/:id',
    requires: 'manage_settings',
    needsFreshProof: true,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => revokeScimToken(tx, oneOf(call)))
      return call.reply.code(204).send()
    },
  })
}
