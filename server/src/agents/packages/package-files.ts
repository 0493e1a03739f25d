import { agentRuntime } from './agent-runtime.ts'
import type { PackageKind } from './package-kinds.ts'

export type PackageVersion = { product_version: string; build: number }

/** Debian's order of versions puts `~` before everything, as Semantic Versioning puts a pre-release. */
export const versionOf = ({ product_version, build }: PackageVersion): string =>
  `${product_version.replaceAll('-', '~')}-${build}`

const packageName = ({ agent }: PackageKind): string => (agent === 'osquery' ? 'muster-osquery' : 'muster-agent')

/** As Debian names it; `all` brings no Node along. */
const architecture = (): string => agentRuntime()?.architecture ?? 'all'

export function fileNameOf(of: PackageKind & PackageVersion): string {
  const version = versionOf(of)
  const stem = packageName(of)
  if (of.format === 'deb') return `${stem}_${version}_${architecture()}.deb`
  if (of.format === 'tar.gz') return `${stem}-${version}-linux-${architecture()}.tar.gz`
  return `${stem}-${version}-${of.platform === 'darwin' ? 'macos' : of.platform}.${of.format}`
}
