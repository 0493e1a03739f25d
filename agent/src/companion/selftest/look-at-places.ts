import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Ask, look, okIf, type Row, shown, unknown } from './row.ts'

/** The folder and the file of the key, and the folder of the link as osquery sees it, where there is one. */
export async function lookAtPlaces(
  ask: Ask | undefined,
  { stateFile, linkFolder }: { stateFile: string; linkFolder: string },
): Promise<Row[]> {
  return [
    await placeRow('Folder', dirname(stateFile), 0o022),
    await placeRow('Key', stateFile, 0o077),
    ...(ask ? [await linkRow(ask, linkFolder)] : []),
  ]
}

const modeOf = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0')

/** Where modes are told, nobody but its user may have the bits `forbidden`. */
async function placeRow(what: string, path: string, forbidden: number): Promise<Row> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error) {
    return found.code === 'ENOENT'
      ? look(what, `${shown(path)} is not there: no companion has run here`)
      : look(what, `${shown(path)}: ${found.code}`)
  }
  if (process.platform === 'win32') return unknown(what, shown(path))
  const isKept = found.uid === process.getuid?.() && (found.mode & forbidden) === 0
  return okIf(isKept, what, `${shown(path)}, mode ${modeOf(found)}, of user ${found.uid}`)
}

/** What the server asks the osquery node for: the folder, and the file that it told the companion to place, which is there while it asks. */
async function linkRow(ask: Ask, folder: string): Promise<Row> {
  const what = 'Link by osquery'
  const separator = folder.includes('\\') ? '\\' : '/'
  const sql = [`path = '${folder}'`, `path like '${folder}${separator}%'`]
    .map((condition) => `select path, type, uid, gid, mode from file where ${condition}`)
    .join(' union all ')
  const rows = await ask(sql)
  if (rows === undefined) return look(what, 'no answer from file: nothing can be linked')
  const own = rows.find(({ type }) => type === 'directory')
  if (!own) return look(what, `osquery does not see ${shown(folder)}`)
  const files = rows.filter(({ type }) => type === 'regular')
  const of = ({ uid = '', mode = '' }: Record<string, string>) => `of user ${uid}, mode ${mode}`
  const placed = files.length === 0 ? 'no file is asked for now' : files.map((file) => `a file ${of(file)}`).join(', ')
  const isKept = isOfRoot(own, 0o022) && files.every((file) => isOfRoot(file, 0o077))
  return okIf(isKept || process.platform === 'win32', what, `the folder ${of(own)}; ${placed}`)
}

/** As the server takes it: any user could make other files. */
const isOfRoot = ({ uid, mode = '' }: Record<string, string>, forbidden: number): boolean =>
  uid === '0' && (Number.parseInt(mode, 8) & forbidden) === 0
