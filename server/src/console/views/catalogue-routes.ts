import { checkViewOperations } from '@muster/contract/operations/console-checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { enableCheck } from '../../checks/definitions/enable-check.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEnabledSlugs } from './check-queries.ts'

export function catalogueViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...checkViewOperations.getCatalogue,
    run: async ({ db, organizationId }) => {
      const slugs = catalogue.map(({ slug }) => slug)
      const enabled = await listEnabledSlugs(db, organizationId, slugs)
      const checks = catalogue.map(({ slug, name, description, platforms, topics }) => ({
        slug,
        name,
        description,
        platforms: [...platforms],
        topics: [...topics],
        check_id: enabled.get(slug) ?? null,
      }))
      return { checks }
    },
  })

  endpoint(scope, {
    ...checkViewOperations.enableCatalogueCheck,
    run: async ({ db, params: { slug }, context }) => ({
      check_id: await transact(db, (tx) => enableCheck(tx, { slug }, context)),
    }),
  })
}
