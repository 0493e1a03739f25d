import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the trial listens, and whose certificate it shows. */
export type TrialAddress = { readonly server: string; readonly caFile?: string | undefined }

const secretName = 'enroll_secret'
const addressName = 'address.json'

/** Keeps the trial's enrollment secret in the data folder, readable by its owner only. */
export const keepSecret = (dataDir: string, secret: string): Promise<void> => keep(dataDir, secretName, secret)

/** Undefined where no trial has begun. */
export const readSecret = (dataDir: string): Promise<string | undefined> => read(dataDir, secretName)

/** Keeps the address of the trial that runs on the data folder, for commands that are started without its settings. */
export const keepAddress = (dataDir: string, address: TrialAddress): Promise<void> =>
  keep(dataDir, addressName, JSON.stringify(address))

/** Of the trial that was started last; undefined where none was. */
export async function readAddress(dataDir: string): Promise<TrialAddress | undefined> {
  const text = await read(dataDir, addressName)
  return text === undefined ? undefined : (JSON.parse(text) as TrialAddress)
}

async function keep(dataDir: string, name: string, text: string): Promise<void> {
  const draft = join(dataDir, `${name}.tmp`)
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, join(dataDir, name))
}

async function read(dataDir: string, name: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, name), 'utf8')).trim() || undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
