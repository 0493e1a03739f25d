import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { keptMs } from '../../base/retention.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import {
  presentAdministratorView,
  presentEnrollmentSecret,
  presentPrivacyKey,
  presentSettingFacts,
} from './present-settings.ts'
import {
  countForSettings,
  findOrganization,
  listAdministratorViews,
  listEnrollmentSecretViews,
  listPrivacyKeys,
  listScimTokenViews,
} from './setting-queries.ts'

/** What the pages of the settings show. */
export function settingViewRoutes(scope: FastifyInstance): void {
  const { config } = scope.kit
  listEndpoint(scope, {
    ...settingOperations.listEnrollmentSecretViews,
    order: 'descending',
    list: listEnrollmentSecretViews,
    present: presentEnrollmentSecret,
    isSmall: true,
  })

  listEndpoint(scope, {
    ...settingOperations.listScimTokenViews,
    order: 'descending',
    list: listScimTokenViews,
    present: (row) => row,
    isSmall: true,
  })

  listEndpoint(scope, {
    ...settingOperations.listPrivacyKeys,
    list: listPrivacyKeys,
    present: presentPrivacyKey,
    isSmall: true,
  })

  listEndpoint(scope, {
    ...settingOperations.listAdministratorViews,
    list: listAdministratorViews,
    present: presentAdministratorView,
    isSmall: true,
  })

  endpoint(scope, {
    ...settingOperations.getSettingFacts,
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
