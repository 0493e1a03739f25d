import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { sessionRoute } from '../../http/session-endpoint.ts'
import { endOldAddresses } from '../../inventory/organizations/end-old-addresses.ts'
import { renameOrganization } from '../../inventory/organizations/rename-organization.ts'
import { chooseSettings } from './choose-settings.ts'

/** What no key can change: the name of the organization, its addresses and its settings. */
export function organizationSettingRoutes(scope: FastifyInstance): void {
  sessionRoute(scope, {
    ...settingOperations.renameOrganization,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => renameOrganization(tx, call.body, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.endOldAddresses,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => endOldAddresses(tx, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.updateSettings,
    run: async (call) => {
      const choice = { session: call.session, wanted: call.body }
      await transact(scope.kit.db, (tx) => chooseSettings(tx, choice, call.context))
    },
  })
}
