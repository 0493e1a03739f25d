import { isDeepStrictEqual } from 'node:util'
import { apiVersions, latestVersion } from '@muster/contract/versions.ts'
import type { Operation } from '../operations.ts'
import { buildDocument } from './build-document.ts'

/**
 * The files of contract/openapi, by name: the document of the latest version, and each older one as the difference from
 * it, a JSON Merge Patch (RFC 7396). They are the same for every installation.
 */
export function committedDocuments(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const latest = buildDocument(operations, latestVersion)
  const older = apiVersions.filter((version) => version !== latestVersion)
  return new Map([
    [`${latestVersion}.json`, textOf(latest)],
    ...older.map((version): [string, string] => [
      `${version}.patch.json`,
      textOf(mergePatchOf(latest, buildDocument(operations, version))),
    ]),
  ])
}

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** What turns one value into the other: only the members that differ, null for those to remove. */
function mergePatchOf(from: unknown, to: unknown): unknown {
  if (!isRecord(from) || !isRecord(to)) return to
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  const differing = names.filter((name) => !isDeepStrictEqual(from[name], to[name]))
  return Object.fromEntries(
    differing.map((name) => [name, to[name] === undefined ? null : mergePatchOf(from[name], to[name])]),
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
