import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findImports } from '../../server/test/architecture/find-imports.ts'

export interface ImportGraph {
  /** The files and packages that the file itself imports. */
  imports(file: string): readonly string[]
  /** Every file and package that the file imports, directly or through others, as far as imports are followed; the file itself included. */
  reached(file: string, follows?: (from: string, to: string) => boolean): ReadonlySet<string>
  /** The text of a file; empty for a package and for what is not there. */
  code(file: string): string
}

/** The text of a file below `root`; empty for what is not there, or no code. */
export const readerIn =
  (root: string) =>
  (path: string): string => {
    const file = join(root, path)
    return /\.[jt]sx?$/.test(path) && existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

/** Reads the imports of files on demand. Files are relative to the root, with `/`; packages are named without a subpath. */
export function importGraph(read: (path: string) => string): ImportGraph {
  const direct = new Map<string, readonly string[]>()
  const codes = new Map<string, string>()

  function code(path: string): string {
    const text = codes.get(path) ?? read(path)
    codes.set(path, text)
    return text
  }

  function imports(path: string): readonly string[] {
    const known = direct.get(path)
    if (known) return known
    const found = findImports({ path, code: code(path) }).map(({ target }) =>
      'file' in target ? target.file : target.package,
    )
    direct.set(path, found)
    return found
  }

  return {
    code,
    imports,
    reached(start, follows = () => true) {
      const reached = new Set([start])
      for (const path of reached) {
        for (const found of imports(path)) if (follows(path, found)) reached.add(found)
      }
      return reached
    },
  }
}
