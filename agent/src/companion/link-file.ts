import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../protocol/agent-state.ts'

const folders: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/var/lib/muster-companion/link',
  darwin: '/Library/Application Support/Muster/link',
  win32: `${process.env['ProgramData'] ?? 'C:\\ProgramData'}\\Muster\\link`,
}

/** Where the osquery node of this machine looks for the file of its companion. */
export const linkFolder = (platform: NodeJS.Platform): string => folders[platform] ?? '/var/lib/muster-companion/link'

const form = /^[\w-]{16,64}$/

/**
 * Places the file that the server asks for, and no other, in the folder; null removes the one that was placed. What cannot
 * be written is said in the log, once: the key does not count then, and everything else works.
 */
export function linkPlacer(folder: string, log: (line: string) => void) {
  let placed: string | undefined
  let said = ''

  async function place(name: string): Promise<void> {
    if (!form.test(name)) throw new Error('the server asks for a file with a name that is none')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(join(folder, name), '', { mode: 0o600 })
    placed = name
    for (const other of await readdir(folder)) if (other !== name && form.test(other)) await rm(join(folder, other))
  }

  return async (name: string | null): Promise<void> => {
    try {
      if (name !== null) return await place(name)
      if (placed !== undefined) await rm(join(folder, placed), { force: true })
      placed = undefined
    } catch (error) {
      const reason = messageOf(error)
      if (reason !== said) log(`companion: its key does not count, because its file cannot be placed: ${reason}`)
      said = reason
    }
  }
}
