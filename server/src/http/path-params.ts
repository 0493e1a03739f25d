import type { PathParams } from '@muster/contract/operations/path-params.ts'
import { fail } from '../base/errors.ts'
import { isRecordId } from './record-id.ts'

export const paramNamesOf = (path: string): string[] => Array.from(path.matchAll(/:(\w+)/g), (match) => match[1] ?? '')

/**
 * Makes the reader of a path's parameters. Those that are record identifiers and could be none lead to a 404, as
 * unknown ones do.
 */
export function readParams<Path extends string>(path: Path, textParams: Readonly<Record<string, string>>) {
  const idNames = paramNamesOf(path).filter((name) => !Object.hasOwn(textParams, name))
  return (raw: unknown): PathParams<Path> => {
    const params = raw as Record<string, string>
    for (const name of idNames) if (!isRecordId(params[name] ?? '')) fail('not_found')
    return params as PathParams<Path>
  }
}
