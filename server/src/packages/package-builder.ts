import type { Readable } from 'node:stream'
import { debPackage } from './deb-package.ts'
import { type FilePart, hashParts, sizeOf, streamOf } from './file-parts.ts'
import { osqueryOnLinux } from './osquery-on-linux.ts'
import { osqueryOnMacos } from './osquery-on-macos.ts'
import { osqueryOnWindows } from './osquery-on-windows.ts'
import { fileNameOf, mediaTypes, versionOf } from './package-files.ts'
import type { PackageRow } from './queries.ts'
import { tarballPackage } from './tarball-package.ts'

export type BuiltPackage = {
  fileName: string
  mediaType: string
  size: number
  /** In hexadecimal. */
  sha256: string
  open: () => Readable
}

export type PackageSource = Omit<PackageRow, 'secret_revoked_at'> & { organizationId: string }

export type PackageBuilder = ReturnType<typeof packageBuilder>

/** Builds the files of packages. What is shared by all is kept in `cacheDir`; what holds a secret is never written. */
export function packageBuilder(_cacheDir: string) {
  const running = new Map<string, Promise<BuiltPackage>>()
  return {
    /** The same bytes for the same row every time; requests for one that is being built wait for it. */
    build(source: PackageSource, secret: string): Promise<BuiltPackage> {
      const key = `${source.organizationId}/${source.id}/${source.build}`
      const found = running.get(key)
      if (found) return found
      const building = buildPackage(source, secret).finally(() => running.delete(key))
      running.set(key, building)
      return building
    },
  }
}

async function buildPackage(source: PackageSource, secret: string): Promise<BuiltPackage> {
  const parts = await partsOf(source, secret)
  return {
    fileName: fileNameOf(source),
    mediaType: mediaTypes[source.format],
    size: sizeOf(parts),
    sha256: await hashParts(parts),
    open: () => streamOf(parts),
  }
}

async function partsOf(source: PackageSource, secret: string): Promise<FilePart[]> {
  const { base_url: baseUrl, ca_certificate: caCertificate, built_at: builtAt, format } = source
  const version = versionOf(source)
  const enrollment = { baseUrl, caCertificate, secret }
  if (format === 'sh') return [Buffer.from(osqueryOnMacos(version, enrollment))]
  if (format === 'ps1') return [Buffer.from(osqueryOnWindows(version, enrollment))]
  const contents = osqueryOnLinux(version, enrollment)
  return format === 'deb' ? debPackage(contents, builtAt) : tarballPackage(contents, builtAt)
}
