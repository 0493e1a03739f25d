import { Catalogue, EnabledCheck } from '@muster/contract/console-drafts.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { enableCheck } from '../../checks/definitions/enable-check.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEnabledSlugs } from './check-queries.ts'

const tag = 'Console'

export function catalogueViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    method: 'GET',
    path: '/views/catalogue',
    operationId: 'getCatalogue',
    summary: 'Read the checks that come with Muster',
    tag,
    permission: 'read',
    answer: Catalogue,
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
    method: 'POST',
    path: '/views/catalogue/:slug/enable',
    operationId: 'enableCatalogueCheck',
    summary: 'Enable a check that comes with Muster; it only reports',
    tag,
    permission: 'configure_checks',
    textParams: { slug: 'Short name of the check.' },
    answer: EnabledCheck,
    run: async ({ db, organizationId, params: { slug }, actor, now }) => ({
      check_id: await transact(db, (tx) => enableCheck(tx, { organizationId, slug, actor, now })),
    }),
  })
}
