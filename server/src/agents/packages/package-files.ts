import type { PackageAgent, PackageArchitecture } from '@muster/contract/packages.ts'
import type { PackageKind } from './package-kinds.ts'

export type PackageVersion = { product_version: string; build: number }

/** Debian's order of versions puts `~` before everything, as Semantic Versioning puts a pre-release. */
export const versionOf = ({ product_version, build }: PackageVersion): string =>
  `${product_version.replaceAll('-', '~')}-${build}`

/** What a package is called on the devices that it is installed on. */
export const packageNames: Readonly<Record<PackageAgent, string>> = {
  osquery: 'muster-osquery',
  muster_companion: 'muster-companion',
  muster_agent: 'muster-agent',
}

/** As Debian names them. */
export const debianNames: Readonly<Record<PackageArchitecture, string>> = { any: 'all', x64: 'amd64', arm64: 'arm64' }

/** As `uname -m` prints them on a Mac; every package for one is for a processor. */
export const macProcessors = { any: 'any', x64: 'x86_64', arm64: 'arm64' } as const satisfies Record<
  PackageArchitecture,
  string
>

export function fileNameOf(of: PackageKind & PackageVersion): string {
  const version = versionOf(of)
  const stem = packageNames[of.agent]
  const processor = debianNames[of.architecture]
  if (of.format === 'deb') return `${stem}_${version}_${processor}.deb`
  if (of.format === 'tar.gz') return `${stem}-${version}-linux-${processor}.tar.gz`
  if (of.format === 'pkg') return `${stem}-${version}-macos-${macProcessors[of.architecture]}.pkg`
  return `${stem}-${version}-${of.platform === 'darwin' ? 'macos' : of.platform}.${of.format}`
}
