import type { Readable } from 'node:stream'
import { packageMediaTypes } from '@muster/contract/packages.ts'
import { agentOnLinux } from './agent-on-linux.ts'
import { openAgentPayload } from './agent-payload.ts'
import { companionOnLinux } from './companion-on-linux.ts'
import { debPackage } from './deb-package.ts'
import { type FilePart, hashParts, sizeOf, streamOf } from './file-parts.ts'
import { scriptFolder } from './linux-package.ts'
import { companionOnMacos } from './macos/companion-on-macos.ts'
import { companionScript } from './macos/companion-script.ts'
import { openMacPayload } from './macos/mac-payload.ts'
import type { Enrollment } from './osquery-files.ts'
import { osqueryOnLinux } from './osquery-on-linux.ts'
import { osqueryOnMacos } from './osquery-on-macos.ts'
import { osqueryOnWindows } from './osquery-on-windows.ts'
import { debianNames, fileNameOf, macProcessors, packageNames, versionOf } from './package-files.ts'
import { packagesFolder } from './packages-folder.ts'
import type { FetchedPart } from './parts/keep-parts.ts'
import type { PackageRow } from './queries.ts'
import type { MacNode } from './runtimes/mac-nodes.ts'
import type { OpenNode } from './runtimes/packaged-node.ts'
import type { ServiceParts } from './service-on-linux.ts'
import { sharedWork } from './shared-work.ts'
import { tarballPackage, tarballPrefix } from './tarball-package.ts'

export type BuiltPackage = {
  fileName: string
  mediaType: string
  size: number
  /** In hexadecimal. */
  sha256: string
  open: () => Readable
  /** What it names, and fetches where it is installed. */
  fetches: readonly FetchedPart[]
}

export type PackageSource = Omit<PackageRow, 'secret_revoked_at' | 'has_added_runtime'> & { organizationId: string }

export type PackageBuilder = ReturnType<typeof packageBuilder>

/** Found again by the parts that differ: the rest is a file of 46 MB, which takes a tenth of a second to hash. */
const maxHashes = 1_000

/** The Nodes that packages bring, and those that a script names. */
export type PackageNodes = { open: OpenNode; ofMacs: () => Promise<MacNode[]> }

type Contents = { parts: FilePart[]; fetches?: readonly FetchedPart[] }

/** Builds the files of packages. What all share is kept below `dataDir`; what holds a secret is never written. */
export function packageBuilder(nodes: PackageNodes, dataDir: string) {
  const building = sharedWork<BuiltPackage>()
  const hashes = new Map<string, string>()

  async function serviceParts({ agent, platform, format, architecture }: PackageSource): Promise<ServiceParts> {
    const cacheDir = await packagesFolder(dataDir)
    const name = packageNames[agent]
    const prefix = format === 'deb' ? '' : tarballPrefix(name)
    const kind = agent === 'muster_agent' ? 'agent' : 'companion'
    const node = architecture === 'any' ? undefined : await nodes.open(cacheDir, { platform, architecture })
    const payload = await openAgentPayload({ cacheDir, kind, home: scriptFolder(name), format, prefix }, node)
    return { payload, node, architecture: debianNames[architecture] }
  }

  async function contentsOnLinux(source: PackageSource, version: string, enrollment: Enrollment) {
    if (source.agent === 'osquery') return osqueryOnLinux(version, enrollment)
    const onLinux = source.agent === 'muster_agent' ? agentOnLinux : companionOnLinux
    return onLinux(version, enrollment, await serviceParts(source))
  }

  async function contentsOnMacos(source: PackageSource, enrollment: Enrollment): Promise<FilePart[]> {
    const { platform, architecture, built_at: builtAt } = source
    if (architecture === 'any') throw new Error('A package for macOS is for one processor')
    const processor = macProcessors[architecture]
    const cacheDir = await packagesFolder(dataDir)
    const node = await nodes.open(cacheDir, { platform, architecture })
    const payload = await openMacPayload(cacheDir, architecture, node)
    return companionOnMacos({ version: versionOf(source), processor, builtAt, payload }, enrollment)
  }

  async function contentsOf(source: PackageSource, secret: string): Promise<Contents> {
    const { agent, base_url: baseUrl, ca_certificate: caCertificate, built_at: builtAt, format } = source
    const version = versionOf(source)
    const enrollment = { baseUrl, caCertificate, secret }
    if (format === 'sh' && agent === 'muster_companion')
      return companionScript(version, enrollment, await nodes.ofMacs())
    if (format === 'sh') return { parts: [Buffer.from(osqueryOnMacos(version, enrollment))] }
    if (format === 'pkg') return { parts: await contentsOnMacos(source, enrollment) }
    if (format === 'ps1') return { parts: [Buffer.from(osqueryOnWindows(version, enrollment))] }
    const contents = await contentsOnLinux(source, version, enrollment)
    return { parts: await (format === 'deb' ? debPackage : tarballPackage)(contents, builtAt) }
  }

  async function hashOf(parts: readonly FilePart[]): Promise<string> {
    const own = await hashParts(parts.filter((part) => Buffer.isBuffer(part)))
    const place = JSON.stringify([own, parts.map((part) => (Buffer.isBuffer(part) ? part.length : part.path))])
    const known = hashes.get(place)
    if (known !== undefined) return known
    const hash = await hashParts(parts)
    if (hashes.size >= maxHashes) hashes.clear()
    hashes.set(place, hash)
    return hash
  }

  return {
    /** The same bytes for the same row every time; requests for one that is being built wait for it. */
    build(source: PackageSource, secret: string): Promise<BuiltPackage> {
      return building(JSON.stringify([source, secret]), async () => {
        const { parts, fetches = [] } = await contentsOf(source, secret)
        return {
          fileName: fileNameOf(source),
          mediaType: packageMediaTypes[source.format],
          size: sizeOf(parts),
          sha256: await hashOf(parts),
          open: () => streamOf(parts),
          fetches,
        }
      })
    },
  }
}
