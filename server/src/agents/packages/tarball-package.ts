import type { FilePart } from './file-parts.ts'
import { type LinuxPackage, scriptFolder } from './linux-package.ts'
import { type TreeFile, tarGz, tarGzBeginning } from './tar-gz.ts'

/** In front of the paths of files to install; `<name>/` is the one folder that the archive unpacks to. */
export const tarballPrefix = (name: string): string => `${name}/files/`

/** A `.tar.gz` of the files, a script that installs them and one that takes them away, both for root. */
export async function tarballPackage(of: LinuxPackage, builtAt: string): Promise<FilePart[]> {
  const mtime = new Date(builtAt)
  const files: TreeFile[] = [
    { path: `${of.name}/install.sh`, mode: 0o755, content: installScript(of) },
    { path: `${of.name}/uninstall.sh`, mode: 0o755, content: uninstallScript(of) },
    ...of.files.map((file) => ({ ...file, path: `${tarballPrefix(of.name)}${file.path}` })),
  ]
  if (!of.payload) return [await tarGz(files, mtime)]
  const others = Object.keys(of.payload.md5).map((path) => `${tarballPrefix(of.name)}${path}`)
  return [await tarGzBeginning(files, others, mtime), ...of.payload.parts]
}

const preamble = `#!/bin/sh
# With DESTDIR set, files are placed below that folder and nothing is started.
set -eu
root=\${DESTDIR:-}
if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then
  echo "Run it as root: sudo sh $0" >&2
  exit 1
fi
`

/** Copies as the user who runs it, so that root owns what the device trusts, no matter who unpacked the archive. */
const installScript = ({
  name,
  rival,
}: LinuxPackage): string => `${preamble}${rival === undefined ? '' : refuseBeside(rival)}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
umask 022
mkdir -p "$root/"
rm -rf "$root/etc/${name}" "$root/${scriptFolder(name)}"
cp -R "$here/files/." "$root/"
"$root/${scriptFolder(name)}/activate"
`

const refuseBeside = (rival: string): string => `if [ -e "$root/${scriptFolder(rival)}" ]; then
  echo 'Take ${rival} away first: it has the same in it' >&2
  exit 1
fi
`

function uninstallScript({ name, files, leaves }: LinuxPackage): string {
  const folders = [`etc/${name}`, scriptFolder(name)]
  const others = files.map(({ path }) => path).filter((path) => !folders.some((folder) => path.startsWith(folder)))
  const removed = [...folders, ...others].map((path) => `"$root/${path}"`)
  const left = leaves.map((path) => `"$root${path}"`)
  return `${preamble}
if [ -x "$root/${scriptFolder(name)}/deactivate" ]; then "$root/${scriptFolder(name)}/deactivate"; fi
rm -rf ${[...removed, ...left].join(' ')}
`
}
