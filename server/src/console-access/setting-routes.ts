import {
  EnrolmentSecretCreation,
  type NewEnrolmentSecret,
  type NewScimToken,
  OrganizationChange,
  type RebuiltPackage,
  ScimTokenCreation,
  SettingsChange,
} from '@muster/contract/console-settings.ts'
import { features } from '@muster/contract/features.ts'
import type { FastifyInstance } from 'fastify'
import { createEnrollmentSecret } from '../agents/create-enrollment-secret.ts'
import { revokeEnrollmentSecret } from '../agents/revoke-enrollment-secret.ts'
import { rotateEnrollmentSecret } from '../agents/rotate-enrollment-secret.ts'
import { type Tx, transact } from '../db/transact.ts'
import { fail } from '../errors.ts'
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
import { requireFreshProof, requirePower } from './require-rights.ts'

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
    body: OrganizationChange,
    run: async (call) => {
      requirePower(call.session, 'manage_settings')
      const change = { ...commonOf(call), ...call.body }
      await transact(scope.kit.db, (tx) => renameOrganization(tx, change))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'PATCH',
    path: '/session/settings',
    body: SettingsChange,
    run: async (call) => {
      const { session, body: wanted, now } = call
      const choice = { session, wanted, now }
      await changeSettings(scope, call, (tx) => chooseSettings(tx, choice))
      return call.reply.code(204).send()
    },
  })
  addEnrolment(scope, gate)
  addScimTokens(scope, gate)
}

function addEnrolment(scope: FastifyInstance, gate: Gate): void {
  const { db, secrets, config } = scope.kit
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/enrolment_secrets',
    body: EnrolmentSecretCreation,
    run: async (call): Promise<NewEnrolmentSecret> => {
      const { name, person_id: personId, expires_at: expiresAt } = call.body
      const wanted = {
        ...commonOf(call),
        name,
        ...(personId !== undefined && { personId: String(personId) }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      requireSettings(call)
      if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(call.now)) {
        fail('invalid', { errors: [{ field: 'expires_at', message: 'must be in the future' }] })
      }
      return transact(db, (tx) => createEnrollmentSecret(tx, secrets, wanted))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/enrolment_secrets/:id/rotate',
    run: (call): Promise<NewEnrolmentSecret> =>
      changeSettings(scope, call, (tx) => rotateEnrollmentSecret(tx, secrets, oneOf(call))),
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/enrolment_secrets/:id',
    run: async (call) => {
      await changeSettings(scope, call, (tx) => revokeEnrollmentSecret(tx, oneOf(call)))
      return call.reply.code(204).send()
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/packages/:id/rebuild',
    run: async (call): Promise<RebuiltPackage> => {
      requireSettings(call)
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
    body: ScimTokenCreation,
    run: async (call): Promise<NewScimToken> => {
      requireScim(call)
      return changeSettings(scope, call, (tx) => createScimToken(tx, secrets, { ...commonOf(call), ...call.body }))
    },
  })
  sessionRoute(scope, gate, {
    method: 'POST',
    path: '/session/scim_tokens/:id/rotate',
    run: async (call): Promise<NewScimToken> => {
      requireScim(call)
      return changeSettings(scope, call, (tx) => rotateScimToken(tx, secrets, oneOf(call)))
    },
  })
  sessionRoute(scope, gate, {
    method: 'DELETE',
    path: '/session/scim_tokens/:id',
    run: async (call) => {
      await changeSettings(scope, call, (tx) => revokeScimToken(tx, oneOf(call)))
      return call.reply.code(204).send()
    },
  })
}

async function changeSettings<Answer>(
  { kit }: FastifyInstance,
  call: SessionCall<unknown>,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  requireSettings(call)
  return transact(kit.db, work)
}

function requireSettings({ session, now }: SessionCall<unknown>): void {
  requirePower(session, 'manage_settings')
  requireFreshProof(session, now)
}

function requireScim({ session }: SessionCall<unknown>): void {
  if (!session.disabled_features.includes('scim')) return
  const message = `The feature ${features.scim.title} is not available to the organization.`
  fail('feature_unavailable', { message })
}
