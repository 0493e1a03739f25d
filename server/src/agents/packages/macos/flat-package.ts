import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FilePart } from '../file-parts.ts'
import { type CpioEntry, cpioHeader, cpioTrailer } from './cpio.ts'
import { type XarEntry, xarArchive } from './xar.ts'
import { xmlText } from './xml-text.ts'

/** A file beside the scripts that the installer runs; `mode` is the permission bits. */
type MacScript = { path: string; mode: number; content: string }

export type MacComponent = {
  identifier: string
  version: string
  /** A cpio archive in gzip, with its SHA-1 in hexadecimal. */
  payload: FilePart
  payloadSha1: string
  bom: Buffer
  /** All entries of the payload, the root as well. */
  numberOfFiles: number
  installKBytes: number
  /** The installer runs those named `preinstall` and `postinstall`. */
  scripts: readonly MacScript[]
}

export type MacProduct = {
  title: string
  hostArchitecture: 'arm64' | 'x86_64'
  /** As in `13.5`. */
  lowestMacos: string
  component: MacComponent
  /** ISO 8601 */
  createdAt: string
}

const xmlHead = '<?xml version="1.0" encoding="utf-8"?>\n'
const runScripts = ['preinstall', 'postinstall']

/** The scripts as the installer unpacks them into a folder of its own. `mtime` is in seconds. */
function scriptsArchive(scripts: readonly MacScript[], mtime: number): Buffer {
  const root: CpioEntry = { path: '.', mode: 0o755, isFolder: true, size: 0 }
  const pieces = [cpioHeader(root, 1, mtime)]
  for (const [index, { path, mode, content }] of scripts.entries()) {
    // Folders would need entries of their own.
    if (!/^[\w.-]+$/.test(path)) throw new Error(`Not a name for a script of a package: ${path}`)
    const bytes = Buffer.from(content)
    const entry = { path: `./${path}`, mode, isFolder: false, size: bytes.length }
    pieces.push(cpioHeader(entry, index + 2, mtime), bytes)
  }
  const archive = Buffer.concat(pieces)
  return gzipSync(Buffer.concat([archive, cpioTrailer(archive.length)]))
}

function packageInfo({ identifier, version, numberOfFiles, installKBytes, scripts }: MacComponent): string {
  const run = runScripts.filter((name) => scripts.some(({ path }) => path === name))
  const lines = run.map((name) => `    <${name} file="./${name}"/>\n`).join('')
  return `${xmlHead}<pkg-info format-version="2" identifier="${xmlText(identifier)}" version="${xmlText(version)}" \
install-location="/" auth="root" overwrite-permissions="true">
  <payload numberOfFiles="${numberOfFiles}" installKBytes="${installKBytes}"/>
${run.length === 0 ? '' : `  <scripts>\n${lines}  </scripts>\n`}</pkg-info>
`
}

/**
 * Which Macs take the product, and that there is nothing to choose. All three attributes of `domains` are there because
 * some readers refuse a package without them.
 */
function distribution({ title, hostArchitecture, lowestMacos, component }: MacProduct, packageName: string): string {
  if (!/^\d+(\.\d+){0,2}$/.test(lowestMacos)) throw new Error(`Not a version of macOS: ${lowestMacos}`)
  const id = xmlText(component.identifier)
  return `${xmlHead}<installer-gui-script minSpecVersion="2">
  <title>${xmlText(title)}</title>
  <options customize="never" require-scripts="false" rootVolumeOnly="true" hostArchitectures="${hostArchitecture}"/>
  <domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"/>
  <volume-check>
    <allowed-os-versions>
      <os-version min="${lowestMacos}"/>
    </allowed-os-versions>
  </volume-check>
  <choices-outline>
    <line choice="default">
      <line choice="${id}"/>
    </line>
  </choices-outline>
  <choice id="default"/>
  <choice id="${id}" visible="false">
    <pkg-ref id="${id}"/>
  </choice>
  <pkg-ref id="${id}" version="${xmlText(component.version)}" onConclusion="none" \
installKBytes="${component.installKBytes}" auth="root">#${xmlText(encodeURIComponent(packageName))}</pkg-ref>
</installer-gui-script>
`
}

const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex')

function componentFiles(component: MacComponent, mtime: number): XarEntry[] {
  const { bom, payload, payloadSha1, scripts } = component
  const archive = scriptsArchive(scripts, mtime)
  return [
    { name: 'Bom', content: bom },
    { name: 'Payload', stored: payload, sha1: payloadSha1 },
    ...(scripts.length === 0 ? [] : [{ name: 'Scripts', stored: archive, sha1: sha1Of(archive) }]),
    { name: 'PackageInfo', content: Buffer.from(packageInfo(component)) },
  ]
}

/**
 * A product archive with one component, unsigned. It is a product, not the bare component, because device management
 * takes nothing else, and because only a product can say which processor and macOS it is for.
 */
export function macProduct(product: MacProduct): FilePart[] {
  const { component, createdAt } = product
  const packageName = `${component.identifier}.pkg`
  const mtime = Math.floor(Date.parse(createdAt) / 1000)
  return xarArchive(
    [
      { name: packageName, folder: componentFiles(component, mtime) },
      { name: 'Distribution', content: Buffer.from(distribution(product, packageName)) },
    ],
    createdAt,
  )
}
