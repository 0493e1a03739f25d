import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findTestFiles } from '../find-test-files.ts'
import type { TestFile } from './classify-file.ts'
import { readerIn } from './import-graph.ts'

/** A program of others that a test file is about, and what has to be installed for it. */
export interface Party {
  readonly name: string
  readonly needs: readonly Need[]
}

/** A program, or any file by its path, and the package of Debian that has it; none where Debian's is not the one that is needed. */
export interface Need {
  readonly what: string
  readonly package?: string
}

/**
 * How a file says so: `// Party: nginx: nginx promtool=prometheus go=none`. A program is in the package of its name unless another
 * is named. A party that needs only packages of the project names no program.
 */
const declaration = /^\/\/ Party: ([^:\n]+)(?:: (\S.*))?$/m

export function partyOf(code: string): Party | undefined {
  const [, name, needs] = declaration.exec(code) ?? []
  return name === undefined ? undefined : { name, needs: needs?.split(/\s+/).map(readNeed) ?? [] }
}

function readNeed(word: string): Need {
  const [what = '', named = what] = word.split('=')
  if (named.startsWith('/')) throw new Error(`${what} is needed by a party that does not say which package has it`)
  return named === 'none' ? { what } : { what, package: named }
}

/** What the parties of all test files need. */
export async function readNeeds(root: string): Promise<Need[]> {
  const read = readerIn(root)
  return (await findTestFiles(root)).flatMap((path) => partyOf(read(path))?.needs ?? [])
}

/** A party that was left out. Nothing that Debian has helps where only needs without a package are missing. */
interface LeftOut {
  readonly line: string
  readonly isInstallable: boolean
}

/** Leaves out the files of parties that lack something here, and says for each of these what. */
export function leaveOutAbsent(
  files: readonly TestFile[],
  isInstalled: (what: string) => boolean,
): { present: TestFile[]; leftOut: LeftOut[] } {
  const lacks = new Map<string, Map<string, Need>>()
  const present = files.filter(({ party }) => {
    const missing = party?.needs.filter(({ what }) => !isInstalled(what)) ?? []
    for (const need of missing) {
      const ofParty = lacks.get(party?.name ?? '') ?? new Map()
      lacks.set(party?.name ?? '', ofParty.set(need.what, need))
    }
    return missing.length === 0
  })
  const leftOut = [...lacks].map(([name, ofParty]) => {
    const missing = [...ofParty.values()]
    const isInstallable = missing.some((need) => need.package !== undefined)
    return { line: `Left out: ${name}, because it needs ${missing.map(nameOf).join(' and ')}.`, isInstallable }
  })
  return { present, leftOut }
}

const nameOf = (need: Need) =>
  need.package === undefined || need.package === need.what ? need.what : `${need.what} (Debian: ${need.package})`

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
