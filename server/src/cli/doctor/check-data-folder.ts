import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../base/config/load-config.ts'
import { masterKeyFile } from '../../base/config/master-key.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const refusedBelow = 256 * 2 ** 20
const scarceBelow = 2 ** 30

/** The folder's access rights, and room on its disk for the embedded database. */
export async function checkDataFolder({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  const findings = [await judgeAccess(dataDir)]
  return databaseUrl === undefined ? [...findings, await judgeSpace(dataDir)] : findings
}

async function judgeAccess(dataDir: string): Promise<Finding> {
  const name = 'data folder'
  const folder = await statIfThere(dataDir)
  if (!folder) return ok(name, `${dataDir} is not there yet`)
  if (!folder.isDirectory()) return failed(name, `${dataDir} is not a folder`)
  const open: string[] = []
  for (const path of [dataDir, masterKeyFile(dataDir)]) {
    const found = await statIfThere(path)
    if (found && process.platform !== 'win32' && (found.mode & 0o077) !== 0) open.push(path)
  }
  if (open.length > 0) return failed(name, `others can read it; run: chmod go= ${open.join(' ')}`)
  return ok(name, `${dataDir} is closed to others`)
}

async function judgeSpace(dataDir: string): Promise<Finding> {
  let folder = dataDir
  while (!(await statIfThere(folder)) && dirname(folder) !== folder) folder = dirname(folder)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const detail = `${Math.floor(free / 2 ** 20)} MB free`
  if (free < refusedBelow) return failed('disk', `${detail}: the embedded database refuses writes below 256 MB`)
  return free < scarceBelow ? warning('disk', detail) : ok('disk', detail)
}

async function statIfThere(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
