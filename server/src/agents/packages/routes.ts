import { join } from 'node:path'
import { Package } from '@muster/contract/packages.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { fileEndpoint } from '../../http/file-endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { openPackage } from './open-package.ts'
import { packageBuilder } from './package-builder.ts'
import { mediaTypes } from './package-files.ts'
import { presentPackage } from './present.ts'
import { findPackage, listPackages } from './queries.ts'

export function packageRoutes(app: FastifyInstance): void {
  const tag = 'Packages'
  const { config, secrets } = app.kit
  const builder = packageBuilder(join(config.dataDir, 'packages'))
  listEndpoint(app, {
    path: '/packages',
    operationId: 'listPackages',
    summary: 'List installation packages',
    description: 'There is one for each platform and format. Installed on a device, it enrolls the device by itself.',
    tag,
    record: Package,
    list: listPackages,
    present: presentPackage,
  })

  endpoint(app, {
    method: 'GET',
    path: '/packages/:id',
    operationId: 'getPackage',
    summary: 'Read an installation package',
    tag,
    permission: 'read',
    answer: Package,
    run: async ({ db, organizationId, params, links }) =>
      presentPackage(orNotFound(await findPackage(db, organizationId, params.id)), links),
  })

  fileEndpoint(app, {
    path: '/package_downloads/:id',
    operationId: 'downloadPackage',
    permission: 'download_packages',
    inConsole: { power: 'manage_settings', needsFreshProof: true },
    summary: 'Download an installation package',
    description:
      'The file holds the package’s enrollment secret in plain text, so the key needs the permission `download_packages`; the audit log says which key downloaded it. A version of a package is the same bytes every time.',
    tag,
    file: { description: 'The file.', mediaTypes: Object.values(mediaTypes) },
    run: ({ db, organizationId, actor, params, now }) =>
      openPackage({ db, secrets, builder }, { organizationId, id: params.id, actor, now }),
  })
}
