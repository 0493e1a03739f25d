import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { Config } from './load-config.ts'
import { decodeMasterKey } from './value-rules.ts'

/** The configured master key, or the one in the data folder, made at the first call. 32 bytes. */
export async function openMasterKey(config: Pick<Config, 'masterKey' | 'dataDir'>): Promise<Buffer> {
  if (config.masterKey) return config.masterKey
  const file = masterKeyFile(config.dataDir)
  return (await readMasterKey(file)) ?? (await createMasterKey(file))
}

export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key')
}

/** Undefined when there is no such file; a ConfigError when it is open to others or is not a key. */
async function readMasterKey(file: string): Promise<Buffer | undefined> {
  const found = await stat(file).catch(ignoreAbsence)
  if (!found) return undefined
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw fault(`${file} can be read by other users of this machine; run: chmod 600 ${file}`)
  }
  const key = decodeMasterKey((await readFile(file, 'utf8')).trim())
  if (!key) throw fault(`${file} does not hold 32 bytes as base64 or hex; restore it from a copy`)
  return key
}

/** Linking a complete, flushed file into place never shows half a key and never replaces one that won the race. */
async function createMasterKey(file: string): Promise<Buffer> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64')}\n`)
    await handle.sync()
    await handle.close()
    await link(draft, file).catch(ignoreExistence)
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(file))
  const key = await readMasterKey(file)
  if (!key) throw fault(`${file} vanished while it was being made`)
  return key
}

/** Without it a power loss may take the file's name, and with it everything that the key sealed. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function fault(message: string): ConfigError {
  return new ConfigError([{ name: 'MUSTER_MASTER_KEY', message }])
}

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function ignoreExistence(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
