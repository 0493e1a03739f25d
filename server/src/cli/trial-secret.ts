import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const fileOf = (dataDir: string) => join(dataDir, 'enroll_secret')

/** Keeps the trial's enrolment secret in the data folder, readable by its owner only. */
export async function keepSecret(dataDir: string, secret: string): Promise<void> {
  const draft = `${fileOf(dataDir)}.tmp`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${secret}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, fileOf(dataDir))
}

/** Undefined where no trial has begun. */
export async function readSecret(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(fileOf(dataDir), 'utf8')).trim() || undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
