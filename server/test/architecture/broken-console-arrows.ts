import { consoleArrows } from './console-arrow-table.ts'
import { consoleHomeOf, isConsoleSource, isTest } from './file-role.ts'
import { findImports, type Import } from './find-imports.ts'
import type { SourceFile } from './source-file.ts'

/** What a file of console/src breaks of the console's own table, one sentence for each; types count as well. */
export function brokenConsoleArrows(file: SourceFile): string[] {
  const here = consoleHomeOf(file.path)
  if (!(here in consoleArrows)) return [`${file.path} lies in ${here}, which console-arrow-table.ts does not list`]
  return findImports(file)
    .map((item) => brokenConsoleImport(file.path, here, item))
    .filter((text) => text !== undefined)
}

function brokenConsoleImport(from: string, here: string, { target, specifier }: Import): string | undefined {
  if (!('file' in target) || !target.file.startsWith('console/')) return undefined
  const broken = `${from} imports ${specifier}`
  if (!isConsoleSource(target.file) || isTest(target.file)) return `${broken}, which is no part of the product`
  const there = consoleHomeOf(target.file)
  if (here === there || consoleArrows[here]?.includes(there)) return undefined
  return `${broken}: no arrow from ${here} to ${there}`
}
