import { posix } from 'node:path'
import { type SourceFile, withoutComments } from './source-file.ts'

/** What a file imports: a path of ours from the repository root, or a package (without its subpath) or `node:` module. */
export interface Import {
  readonly specifier: string
  readonly target: { readonly file: string } | { readonly package: string }
}

const forms = [
  // import x from '…', import type { … } from '…', export … from '…'
  /^\s*(?:import|export)\b(?!\s*\()[^'";]*?\bfrom\s*['"]([^'"\n]+)['"]/gm,
  // import '…'
  /^\s*import\s*['"]([^'"\n]+)['"]/gm,
  // import('…'), also as a type, and require('…')
  /\b(?:import|require)\s*\(\s*['"]([^'"\n]+)['"]/g,
  // new URL('./worker.ts', import.meta.url): how a worker thread is named
  /\bnew URL\(\s*['"](\.[^'"\n]+\.[jt]s)['"]\s*,\s*import\.meta\.url/g,
]
const workspaces: Record<string, string> = {
  '@muster/contract': 'contract/src',
  '@muster/agent': 'agent/src',
  '@muster/client': 'client/src',
}

/** An import that no guard can follow. */
export const hasComputedImport = (file: SourceFile): boolean =>
  /\bimport\s*\(\s*(?!['"\s])/.test(withoutComments(file.code))

/** Every static, side-effect and dynamic import of a file that names its target, in any order. */
export function findImports(file: SourceFile): Import[] {
  const code = withoutComments(file.code)
  const specifiers = forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ''))
  return specifiers.map((specifier) => ({ specifier, target: resolve(file.path, specifier) }))
}

function resolve(from: string, specifier: string): Import['target'] {
  if (specifier.startsWith('.')) return { file: posix.join(posix.dirname(from), specifier) }
  const parts = specifier.split('/')
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  const home = workspaces[name]
  return home ? { file: `${home}/${parts.slice(2).join('/')}` } : { package: name }
}
