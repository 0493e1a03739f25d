import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isConsoleBuilt } from '../../http/console-pages.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const name = 'console'
const folder = fileURLToPath(new URL('../../../../console/', import.meta.url))
const howTo = 'run `npm run build -w console`, then restart the server'

/** Whether the console's files are there, and of this version. */
export async function checkConsole(isBuilt: () => boolean = isConsoleBuilt): Promise<Finding[]> {
  if (!isBuilt()) return [failed(name, `is not built: ${howTo}`)]
  const isFresh = await promisify(execFile)(process.execPath, [`${folder}build.ts`, '--check']).then(
    () => true,
    () => false,
  )
  return [isFresh ? ok(name, 'built') : warning(name, `is of another version than the server: ${howTo}`)]
}
