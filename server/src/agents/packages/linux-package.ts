import type { FilePart } from './file-parts.ts'
import type { TreeFile } from './tar-gz.ts'

/** Files that are the same for every organization, packed once: the end of a `.tar.gz`. */
export type Payload = {
  parts: readonly FilePart[]
  /** MD5 in hexadecimal of each path, for what Debian calls md5sums. */
  md5: Readonly<Record<string, string>>
  unpackedBytes: number
}

/** What a `.deb` and a `.tar.gz` both contain. */
export type LinuxPackage = {
  name: string
  version: string
  /** As Debian names it. */
  architecture: string
  /** A package that has the same in it, so that only one of the two is installed; undefined where there is none. */
  rival: string | undefined
  /** What a Debian package says of others, by field. */
  relations: Readonly<Partial<Record<'Depends' | 'Recommends' | 'Replaces', string>>>
  summary: string
  /** Where they go below the root. Those of etc hold what is this installation's. */
  files: readonly TreeFile[]
  payload: Payload | undefined
  /** Files that, once installed by another package, bring this one to life. */
  waitsFor: readonly string[]
  /** What it creates on the device and removes when it is purged; absolute paths. */
  leaves: readonly string[]
}

/** Where the scripts of a package lie: `activate` is run when its files are there, `deactivate` before they go. */
export const scriptFolder = (name: string): string => `usr/lib/${name}`
