import { constants } from 'node:fs'
import { access, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail } from '../../base/errors.ts'

/**
 * The folder for what packages share: in the data folder, or where that cannot be written, as in a read-only container, in the
 * system's folder for temporary files. Its files can be made again from the program and the database. Fails with `unavailable`
 * where there is none.
 */
export async function packagesFolder(dataDir: string): Promise<string> {
  const own = join(dataDir, 'packages')
  if (await isWritable(own)) return own
  const shared = join(tmpdir(), `muster-packages-${process.getuid?.() ?? 'of-user'}`)
  if ((await isWritable(shared)) && (await isOurs(shared))) return shared
  return fail('unavailable', {
    message: `Packages cannot be built: neither ${own} nor ${shared} is a folder of this user that can be written. Set MUSTER_DATA_DIR.`,
  })
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Anyone may make a folder of that name in the one for temporary files, and put their own program into packages. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  if (!found.isDirectory()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
}
