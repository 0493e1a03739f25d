import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const folders: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/var/lib/muster-companion/link',
  darwin: '/Library/Application Support/Muster/link',
  win32: `${process.env['ProgramData'] ?? 'C:\\ProgramData'}\\Muster\\link`,
}

/** Where the osquery node of this machine looks for the file of its companion. */
export const linkFolder = (platform: NodeJS.Platform): string => folders[platform] ?? '/var/lib/muster-companion/link'

const form = /^[\w-]{16,64}$/

/** Leaves the file that the server asks for, and no other, in the folder; null removes what is left of before. */
export async function placeLinkFile(folder: string, name: string | null): Promise<void> {
  if (name !== null && !form.test(name)) throw new Error('the server asks for a file with a name that is none')
  if (name !== null) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(join(folder, name), '', { mode: 0o600 })
  }
  const others = await readdir(folder).catch(() => [])
  for (const other of others) if (other !== name && form.test(other)) await rm(join(folder, other), { force: true })
}
