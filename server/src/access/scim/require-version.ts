import { refuse } from './scim-error.ts'

/** The header If-Match, where there is one. */
export type Precondition = string | undefined

/** RFC 7643 §3.1: what `meta.version` and the header ETag say. */
export const versionOf = (revision: string): string => `W/"${revision}"`

/** RFC 7644 §3.14. Versions are compared weakly there, unlike in RFC 9110. */
export function requireVersion(precondition: Precondition, revision: string): void {
  if (precondition === undefined || matchesVersion(precondition, versionOf(revision))) return
  refuse(412, undefined, 'The resource has changed: its version is another.')
}

/** Whether a header has this version; false without the header. */
export function matchesVersion(header: string | undefined, version: string | undefined): boolean {
  const versions = (header ?? '').split(',').map((listed) => listed.trim())
  return versions.some((listed) => listed === '*' || listed === version || `W/${listed}` === version)
}
