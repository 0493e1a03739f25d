import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { requesterOf, sessionRoute } from '../../http/session-endpoint.ts'
import type { SessionGuard } from '../../http/session-guard.ts'
import { endOldAddresses } from '../../inventory/organizations/end-old-addresses.ts'
import { renameOrganization } from '../../inventory/organizations/rename-organization.ts'
import { chooseSettings } from './choose-settings.ts'

/** What no key can change: the name of the organization, its addresses and its settings. */
export function organizationSettingRoutes(scope: FastifyInstance, guard: SessionGuard): void {
  sessionRoute(scope, guard, {
    ...settingOperations.renameOrganization,
    run: async (call) => {
      const change = { ...requesterOf(call), ...call.body }
      await transact(scope.kit.db, (tx) => renameOrganization(tx, change))
    },
  })
  sessionRoute(scope, guard, {
    ...settingOperations.endOldAddresses,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => endOldAddresses(tx, requesterOf(call)))
    },
  })
  sessionRoute(scope, guard, {
    ...settingOperations.updateSettings,
    run: async (call) => {
      const { session, body: wanted, now } = call
      const choice = { session, wanted, now }
      await transact(scope.kit.db, (tx) => chooseSettings(tx, choice))
    },
  })
}
