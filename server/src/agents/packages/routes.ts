import { packageOperations } from '@muster/contract/operations/packages.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { fileEndpoint } from '../../http/file-endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { openPackage } from './open-package.ts'
import { packageBuilder } from './package-builder.ts'
import { packageNodes } from './package-nodes.ts'
import { presentPackage } from './present.ts'
import { findPackage, listPackages } from './queries.ts'

export function packageRoutes(app: FastifyInstance): void {
  const { db, config, secrets } = app.kit
  const builder = packageBuilder(packageNodes(db), config.dataDir)
  listEndpoint(app, {
    ...packageOperations.listPackages,
    list: listPackages,
    present: presentPackage,
  })

  endpoint(app, {
    ...packageOperations.getPackage,
    run: async ({ db, organizationId, params, links }) =>
      presentPackage(orNotFound(await findPackage(db, organizationId, params.id)), links),
  })

  fileEndpoint(app, {
    ...packageOperations.downloadPackage,
    run: ({ params, context }) => openPackage({ db, secrets, builder }, { id: params.id }, context),
  })
}
