import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { arMember } from './ar-archive.ts'
import { type FilePart, sizeOf } from './file-parts.ts'
import { type LinuxPackage, scriptFolder } from './linux-package.ts'
import { type TreeFile, tarGz, tarGzBeginning } from './tar-gz.ts'

/** A binary package of format 2.0 (deb(5)): an `ar` archive of the version, the control files and the tree. */
export async function debPackage(of: LinuxPackage, builtAt: string): Promise<FilePart[]> {
  const mtime = new Date(builtAt)
  const tree = { ...of, files: [...of.files, ...documentation(of, mtime)] }
  const control = await tarGz(controlFiles(tree), mtime)
  const data = of.payload
    ? [await tarGzBeginning(tree.files, Object.keys(of.payload.md5), mtime), ...of.payload.parts]
    : [await tarGz(tree.files, mtime)]
  const seconds = Math.floor(mtime.getTime() / 1000)
  const members: [name: string, parts: FilePart[]][] = [
    ['debian-binary', [Buffer.from('2.0\n')]],
    ['control.tar.gz', [control]],
    ['data.tar.gz', data],
  ]
  return members.flatMap(([name, parts], index) => {
    const { before, after } = arMember({ name, size: sizeOf(parts) }, seconds, index === 0)
    return [before, ...parts, after]
  })
}

const isConfiguration = ({ path }: TreeFile): boolean => path.startsWith('etc/')

function controlFiles(of: LinuxPackage): TreeFile[] {
  const conffiles = of.files.filter(isConfiguration).map(({ path }) => `/${path}\n`)
  const script = (path: string, text: string): TreeFile => ({
    path,
    mode: 0o755,
    content: `#!/bin/sh\nset -e\n${text}`,
  })
  const scripts = `"\${DPKG_ROOT:-}/${scriptFolder(of.name)}`
  const triggers = of.waitsFor.map((path) => `interest-noawait ${path}\n`)
  return [
    { path: 'control', mode: 0o644, content: controlOf(of) },
    { path: 'conffiles', mode: 0o644, content: conffiles.join('') },
    { path: 'md5sums', mode: 0o644, content: md5sumsOf(of) },
    ...(triggers.length > 0 ? [{ path: 'triggers', mode: 0o644, content: triggers.join('') }] : []),
    script('postinst', `case "$1" in configure|triggered) ${scripts}/activate" ;; esac\n`),
    script('prerm', `if [ "$1" = remove ]; then ${scripts}/deactivate"; fi\n`),
    script('postrm', `if [ "$1" = purge ]; then rm -rf ${pathsToPurge(of)}; fi\n`),
  ]
}

const pathsToPurge = ({ name, leaves }: LinuxPackage): string =>
  [`/etc/${name}`, ...leaves].map((path) => `"\${DPKG_ROOT:-}${path}"`).join(' ')

function controlOf(of: LinuxPackage): string {
  const bytes = of.files.reduce((total, { content }) => total + Buffer.byteLength(content), 0)
  const fields = {
    Package: of.name,
    Version: of.version,
    Architecture: of.architecture,
    Maintainer: 'Muster <muster@localhost>',
    'Installed-Size': Math.ceil((bytes + (of.payload?.unpackedBytes ?? 0)) / 1024),
    ...of.relations,
    ...(of.rival !== undefined && { Conflicts: of.rival }),
    Section: 'admin',
    Priority: 'optional',
    Description: `${of.summary}
 Enrolls this device at the organization's Muster server, which checks it. The
 enrollment secret in it lets any device enroll: keep the package to yourself.`,
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

function md5sumsOf({ files, payload }: LinuxPackage): string {
  const own = files
    .filter((file) => !isConfiguration(file))
    .map(({ path, content }): [string, string] => [path, createHash('md5').update(content).digest('hex')])
  return [...own, ...Object.entries(payload?.md5 ?? {})].map(([path, hash]) => `${hash}  ${path}\n`).join('')
}

/** What Debian's policy §12 asks of every package. */
function documentation({ name, version }: LinuxPackage, mtime: Date): TreeFile[] {
  const folder = `usr/share/doc/${name}`
  const changelog = `${name} (${version}) stable; urgency=medium

  * Made by the organization's Muster server.

 -- Muster <muster@localhost>  ${mtime.toUTCString().replace('GMT', '+0000')}
`
  const copyright = `Made by a Muster server for one organization. Muster is licensed under the Apache License 2.0,
which Debian systems have in /usr/share/common-licenses/Apache-2.0.
`
  return [
    { path: `${folder}/changelog.Debian.gz`, mode: 0o644, content: gzipSync(changelog, { level: 9 }) },
    { path: `${folder}/copyright`, mode: 0o644, content: copyright },
  ]
}
