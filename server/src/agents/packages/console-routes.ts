import type { RebuiltPackage } from '@muster/contract/console-settings.ts'
import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { rebuildPackage } from './rebuild-package.ts'
import { openPackageSite } from './site.ts'

/** The installers of the agent, on the settings page. */
export function packageSettingRoutes(scope: FastifyInstance): void {
  const { db, secrets, config } = scope.kit
  sessionRoute(scope, {
    ...settingOperations.rebuildPackage,
    run: async (call): Promise<RebuiltPackage> => {
      const site = await openPackageSite(config)
      return {
        file_name: await transact(db, (tx) =>
          rebuildPackage(tx, secrets, { id: recordIdOf(call), site }, call.context),
        ),
      }
    },
  })
}
