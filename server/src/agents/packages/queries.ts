import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

const byId: Keyset = { id: { column: 'packages.id', type: 'bigint' }, direction: 'asc' }

export type PackageRow = Awaited<ReturnType<typeof listPackages>>[number]

const fromPackages = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('packages')
    .innerJoin('enrollment_secrets as secret', (join) =>
      join
        .onRef('secret.organization_id', '=', 'packages.organization_id')
        .onRef('secret.id', '=', 'packages.enrollment_secret_id'),
    )
    .select([
      'packages.id',
      'packages.agent',
      'packages.platform',
      'packages.format',
      'packages.product_version',
      'packages.build',
      'packages.base_url',
      'packages.ca_certificate',
      'packages.enrollment_secret_id',
      'packages.built_at',
      'secret.revoked_at as secret_revoked_at',
    ])
    .where(inOrganization('packages', organizationId))

export const listPackages = (reader: Reader, { organizationId, after, limit }: ListPage) =>
  fromPackages(reader, organizationId)
    .$call(nextRows(byId, after, limit))
    .execute()

export const findPackage = (reader: Reader, organizationId: string, id: string) =>
  fromPackages(reader, organizationId).where('packages.id', '=', id).executeTakeFirst()

/** All of an organization; there is one of each kind. */
export const findPackages = (reader: Reader, organizationId: string) =>
  fromPackages(reader, organizationId).orderBy('packages.id').execute()
