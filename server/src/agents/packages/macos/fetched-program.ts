import { readFile } from 'node:fs/promises'
import { listCompanionFiles } from '../companion-files.ts'
import { tarGz } from '../tar-gz.ts'
import { macScripts } from './mac-scripts.ts'

/** They change with the files alone. */
const mtime = new Date('2026-01-01T00:00:00.000Z')

/** Of the archive: what is installed, and what installs it. */
export const fetchedFolders = { program: 'program', scripts: 'scripts' } as const

/** What a script fetches beside a Node, as a `.tar.gz`: the same for every organization. `license` is that of the Node. */
export async function fetchedProgram(license: string | undefined): Promise<Buffer> {
  const { program, scripts } = fetchedFolders
  const files = await listCompanionFiles(program)
  const read = files.map(async ({ path, source, mode }) => ({ path, mode, content: await readFile(source) }))
  const licenses = license === undefined ? [] : [{ path: `${program}/bin/LICENSE`, mode: 0o644, content: license }]
  const installing = macScripts.map((script) => ({ ...script, path: `${scripts}/${script.path}` }))
  return tarGz([...(await Promise.all(read)), ...licenses, ...installing], mtime)
}
