import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

export type Installation = { server: string; enrollSecret: string; caFile?: string; stateFile: string }

const packageState = '/var/lib/muster-agent'

/**
 * Reads what an installation package has left: `{"server", "enroll_secret_file", "ca_file"?}`, files being named from
 * the folder that the file lies in. `stateFolder` is systemd's STATE_DIRECTORY. Rejects in a sentence.
 */
export async function readInstallation(file: string, stateFolder = packageState): Promise<Installation> {
  const { server, enroll_secret_file: secretFile, ca_file: caFile } = await readFields(file)
  if (typeof server !== 'string' || typeof secretFile !== 'string') {
    throw new Error(`${file} names no server or no enroll_secret_file`)
  }
  const beside = (name: string) => resolve(dirname(file), name)
  const enrollSecret = (await readFile(beside(secretFile), 'utf8')).trim()
  return {
    server,
    enrollSecret,
    ...(typeof caFile === 'string' && { caFile: beside(caFile) }),
    stateFile: join(stateFolder, 'state.json'),
  }
}

/** The same; undefined where one of the files is not there, as on a machine that a backup was restored to without them. */
export const findInstallation = (file: string, stateFolder?: string): Promise<Installation | undefined> =>
  readInstallation(file, stateFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

async function readFields(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8')
  try {
    return Object(JSON.parse(text))
  } catch {
    throw new Error(`${file} is not JSON`)
  }
}
