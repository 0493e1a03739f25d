import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestFile } from './classify-file.ts'

/** A program of others that a test file is about, and what has to be installed for it: programs, or files by their path. */
export interface Party {
  readonly name: string
  readonly needs: readonly string[]
}

/** How a file says so: `// Party: nginx: nginx chromium`. One that needs only packages of the project names no program. */
const declaration = /^\/\/ Party: ([^:\n]+)(?:: (\S.*))?$/m

export function partyOf(code: string): Party | undefined {
  const [, name, needs] = declaration.exec(code) ?? []
  return name === undefined ? undefined : { name, needs: needs?.split(/\s+/) ?? [] }
}

/** Leaves out the files of parties that lack something here; a line for each of these says what. */
export function leaveOutAbsent(
  files: readonly TestFile[],
  isInstalled: (need: string) => boolean,
): { present: TestFile[]; lines: string[] } {
  const lacks = new Map<string, Set<string>>()
  const present = files.filter(({ party }) => {
    const missing = party?.needs.filter((need) => !isInstalled(need)) ?? []
    if (party && missing.length > 0) {
      lacks.set(party.name, new Set([...(lacks.get(party.name) ?? []), ...missing]))
    }
    return missing.length === 0
  })
  const lines = [...lacks].map(
    ([name, missing]) => `Left out: ${name}, because it needs ${[...missing].join(' and ')}.`,
  )
  return { present, lines }
}

/** Debian has the programs of servers where only root's PATH looks. */
const ofServers = ['/usr/sbin', '/sbin']

/** Whether a program, or with a path any file, is on this machine. */
export function isInstalled(need: string, searchPath = process.env['PATH'] ?? ''): boolean {
  if (need.startsWith('/')) return isThere(need, constants.R_OK)
  return [...searchPath.split(delimiter), ...ofServers].some((folder) => isThere(join(folder, need), constants.X_OK))
}

function isThere(file: string, mode: number): boolean {
  try {
    accessSync(file, mode)
    return true
  } catch {
    return false
  }
}
