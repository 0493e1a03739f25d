import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FilePart } from '../file-parts.ts'
import { cpioHeader, cpioTrailer } from './cpio.ts'
import { xarArchive } from './xar.ts'
import { xmlText } from './xml-text.ts'

/** A file of Scripts: macOS unpacks them for the installation alone, and runs the one that is called `postinstall`. */
export type ScriptFile = { path: string; mode: number; content: string }

export type MacProduct = {
  title: string
  hostArchitecture: 'arm64' | 'x86_64'
  /** Such as `13.5`. */
  lowestMacos: string
  /** ISO time. */
  createdAt: string
  identifier: string
  version: string
  /** A cpio archive in gzip; `payloadSha1` of these bytes in hexadecimal. */
  payload: FilePart
  payloadSha1: string
  bom: Buffer
  scripts: readonly ScriptFile[]
} & InstallNumbers

/** What a package says of its payload: entries with the root, and what they take on the disk. */
export type InstallNumbers = { numberOfFiles: number; installKBytes: number }

/**
 * A product archive of one component, which the installer of macOS and the install command of the MDM protocol take: a component alone
 * is refused by the latter. It is installed on the volume that the Mac has started from, and by no other processor.
 */
export function macProduct(product: MacProduct): FilePart[] {
  const { identifier, payload, payloadSha1, bom, scripts, createdAt } = product
  const packed = packScripts(scripts, createdAt)
  const sha1 = createHash('sha1').update(packed).digest('hex')
  const component = [
    { name: 'Bom', content: bom },
    { name: 'Payload', stored: payload, sha1: payloadSha1 },
    { name: 'Scripts', stored: packed, sha1 },
    { name: 'PackageInfo', content: Buffer.from(packageInfo(product)) },
  ]
  const distributed = { name: 'Distribution', content: Buffer.from(distribution(product)) }
  return xarArchive([{ name: `${identifier}.pkg`, folder: component }, distributed], createdAt)
}

const blockSize = 512

/** Blocks of 512 bytes, one for each folder but the root. */
export function installNumbers(files: readonly { path: string; size: number }[]): InstallNumbers {
  const folders = new Set<string>()
  for (const { path } of files) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth += 1) folders.add(parts.slice(0, depth).join('/'))
  }
  const blocks = files.reduce((total, { size }) => total + Math.ceil(size / blockSize), folders.size)
  return { numberOfFiles: files.length + folders.size + 1, installKBytes: Math.ceil(blocks / 2) }
}

function packScripts(scripts: readonly ScriptFile[], createdAt: string): Buffer {
  const mtime = Math.floor(Date.parse(createdAt) / 1000)
  const pieces = [cpioHeader({ path: '.', mode: 0o755, isFolder: true, size: 0 }, 1, mtime)]
  for (const [index, { path, mode, content }] of scripts.entries()) {
    const bytes = Buffer.from(content)
    const entry = { path: `./${path}`, mode, isFolder: false, size: bytes.length }
    pieces.push(cpioHeader(entry, index + 2, mtime), bytes)
  }
  const archive = Buffer.concat(pieces)
  return gzipSync(Buffer.concat([archive, cpioTrailer(archive.length)]))
}

const packageInfo = ({ identifier, version, numberOfFiles, installKBytes }: MacProduct): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<pkg-info format-version="2" identifier="${xmlText(identifier)}" version="${xmlText(version)}" install-location="/" auth="root" overwrite-permissions="true">
  <payload numberOfFiles="${numberOfFiles}" installKBytes="${installKBytes}"/>
  <scripts><postinstall file="./postinstall"/></scripts>
</pkg-info>
`

// All three attributes of domains: a program that signs refuses the file without the first.
function distribution(product: MacProduct): string {
  const { title, hostArchitecture, lowestMacos, version, installKBytes } = product
  const identifier = xmlText(product.identifier)
  return `<?xml version="1.0" encoding="utf-8"?>
<installer-gui-script minSpecVersion="2">
  <title>${xmlText(title)}</title>
  <options customize="never" require-scripts="false" rootVolumeOnly="true" hostArchitectures="${hostArchitecture}"/>
  <domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"/>
  <volume-check><allowed-os-versions><os-version min="${xmlText(lowestMacos)}"/></allowed-os-versions></volume-check>
  <choices-outline><line choice="default"><line choice="${identifier}"/></line></choices-outline>
  <choice id="default"/>
  <choice id="${identifier}" visible="false"><pkg-ref id="${identifier}"/></choice>
  <pkg-ref id="${identifier}" version="${xmlText(version)}" installKBytes="${installKBytes}" auth="root" onConclusion="none">#${identifier}.pkg</pkg-ref>
</installer-gui-script>
`
}
