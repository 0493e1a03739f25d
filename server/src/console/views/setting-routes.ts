import {
  AdministratorFilter,
  AdministratorView,
  EnrollmentSecretFilter,
  EnrollmentSecretView,
  ScimTokenView,
  SettingFacts,
} from '@muster/contract/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { keptMs } from '../../base/retention.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import { presentAdministratorView, presentEnrollmentSecret, presentSettingFacts } from './present-settings.ts'
import {
  countForSettings,
  findOrganization,
  listAdministratorViews,
  listEnrollmentSecretViews,
  listScimTokenViews,
} from './setting-queries.ts'

const tag = 'Console'

/** What the pages of the settings show. */
export function settingViewRoutes(scope: FastifyInstance): void {
  const { config } = scope.kit
  listEndpoint(scope, {
    path: '/views/enrollment_secrets',
    operationId: 'listEnrollmentSecretViews',
    summary: 'List enrollment secrets without the secrets themselves, the newest first',
    tag,
    record: EnrollmentSecretView,
    options: EnrollmentSecretFilter,
    order: 'descending',
    list: listEnrollmentSecretViews,
    present: presentEnrollmentSecret,
    isSmall: true,
  })

  listEndpoint(scope, {
    path: '/views/scim_tokens',
    operationId: 'listScimTokenViews',
    summary: 'List the SCIM tokens in force, the newest first',
    tag,
    record: ScimTokenView,
    order: 'descending',
    list: listScimTokenViews,
    present: (row) => row,
    isSmall: true,
  })

  listEndpoint(scope, {
    path: '/views/administrators',
    operationId: 'listAdministratorViews',
    inConsole: { power: 'manage_administrators' },
    summary: 'List administrators with how they sign in',
    tag,
    record: AdministratorView,
    options: AdministratorFilter,
    list: listAdministratorViews,
    present: presentAdministratorView,
    isSmall: true,
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/settings',
    operationId: 'getSettingFacts',
    summary: 'Read what the pages of the settings say of the installation',
    tag,
    permission: 'read',
    answer: SettingFacts,
    run: async ({ db, organizationId }) => {
      const [organization, counts, chosen] = await Promise.all([
        findOrganization(db, organizationId),
        countForSettings(db, organizationId),
        findSettings(db, organizationId),
      ])
      return presentSettingFacts(orNotFound(organization), counts, config, keptMs, chosen)
    },
  })
}
