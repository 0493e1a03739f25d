import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** Takes the next file that no other process has taken; undefined when none is left. */
export function takeFrom(folder: string, files: readonly string[]): string | undefined {
  return files.find((_, index) => claim(join(folder, String(index))))
}

/** Creating a file that must not exist is what exactly one process succeeds with. */
function claim(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
