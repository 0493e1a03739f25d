import type { packageSearch } from '@muster/contract/packages.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

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
      'packages.architecture',
      'packages.node_version',
      'packages.node_sha256',
      'packages.product_version',
      'packages.build',
      'packages.base_url',
      'packages.ca_certificate',
      'packages.enrollment_secret_id',
      'packages.built_at',
      'secret.revoked_at as secret_revoked_at',
      // As systemOfPackage names it; a script for every processor takes any.
      sql<boolean>`exists (
        select from package_runtimes as added
        where added.system like replace(packages.platform, 'windows', 'win') || '-'
          || case packages.architecture when 'any' then '%' else packages.architecture end
      )`.as('has_added_runtime'),
    ])
    .where(inOrganization('packages', organizationId))

const columns = {
  id: { column: 'packages.id', type: 'bigint' },
  agent: { column: 'packages.agent', type: 'text' },
  platform: { column: 'packages.platform', type: 'text' },
  format: { column: 'packages.format', type: 'text' },
  architecture: { column: 'packages.architecture', type: 'text' },
} satisfies SearchColumns<typeof packageSearch>

export const listPackages = (reader: Reader, page: ListPage) =>
  fromPackages(reader, page.organizationId)
    .$call(onPage(page, byId, columns))
    .execute()

export const findPackage = (reader: Reader, organizationId: string, id: string) =>
  fromPackages(reader, organizationId).where('packages.id', '=', id).executeTakeFirst()

/** All of an organization; there is one of each kind. */
export const findPackages = (reader: Reader, organizationId: string) =>
  fromPackages(reader, organizationId).orderBy('packages.id').execute()
