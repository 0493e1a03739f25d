import type { Package } from '@muster/contract/packages.ts'
import type { Links } from '../../base/links.ts'
import { fileNameOf, versionOf } from './package-files.ts'
import { packageProblem } from './package-problem.ts'
import type { PackageRow } from './queries.ts'

export const presentPackage = (row: PackageRow, links: Links): Package => ({
  built_at: row.built_at,
  id: row.id,
  url: links.url(`/package_downloads/${row.id}`),
  version: versionOf(row),
  agent: row.agent,
  platform: row.platform,
  format: row.format,
  architecture: row.architecture,
  node_version: row.node_version,
  file_name: fileNameOf(row),
  problem: packageProblem(row),
})
