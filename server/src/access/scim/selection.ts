import { isRecord, type Values } from './attribute.ts'
import { groupUrn } from './group-schema.ts'
import { userUrn } from './user-schema.ts'

/** Which attributes an answer is to have (RFC 7644 §3.9), as paths in lower case without the core schemas. */
export type Selection = { readonly only: ReadonlySet<string> | undefined; readonly without: ReadonlySet<string> }

const maxNames = 200
const prefixes = [userUrn, groupUrn].map((urn) => `${urn.toLowerCase()}:`)

export function readSelection(input: Record<string, unknown>): Selection {
  const only = namesOf(input['attributes'])
  return { only: only.length > 0 ? new Set(only) : undefined, without: new Set(namesOf(input['excludedAttributes'])) }
}

function namesOf(value: unknown): string[] {
  const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')
  const names = texts.flatMap((text) => text.split(',')).slice(0, maxNames)
  return names.map((name) => withoutPrefix(name.trim().toLowerCase())).filter((name) => name !== '')
}

function withoutPrefix(name: string): string {
  const prefix = prefixes.find((one) => name.startsWith(one))
  return prefix ? name.slice(prefix.length) : name
}

/** Whether an attribute belongs in the answer, so that expensive ones are read only then. */
export const wants = ({ only, without }: Selection, name: string): boolean =>
  !without.has(name) && (only === undefined || [...only].some((path) => path === name || path.startsWith(`${name}.`)))

/** RFC 7643 §7: `id` is always returned, and what a resource is, it always says. */
const alwaysReturned = new Set(['id', 'schemas'])

/** The resource with what was asked for. */
export function select(resource: Values, { only, without }: Selection): Values {
  const kept = Object.entries(resource).flatMap(([name, value]) => {
    if (alwaysReturned.has(name)) return [[name, value]]
    const path = name.toLowerCase()
    if (without.has(path)) return []
    const cut = pruned(value, path, without)
    if (only === undefined || only.has(path)) return [[name, cut]]
    const part = picked(cut, path, only)
    return part === undefined ? [] : [[name, part]]
  })
  return Object.fromEntries(kept)
}

/** Sub-attributes follow a dot, or in an extension a colon. */
const pathsWithin = (path: string, name: string) => [`${path}.${name.toLowerCase()}`, `${path}:${name.toLowerCase()}`]

function pruned(value: unknown, path: string, without: ReadonlySet<string>): unknown {
  if (without.size === 0) return value
  return withMembers(value, (name) => !pathsWithin(path, name).some((inner) => without.has(inner)))
}

function picked(value: unknown, path: string, only: ReadonlySet<string>): unknown {
  const isAsked = (name: string) => pathsWithin(path, name).some((inner) => only.has(inner))
  const part = withMembers(value, isAsked)
  const elements = Array.isArray(part) ? part : [part]
  const isEmpty = elements.every((element) => !isRecord(element) || Object.keys(element).length === 0)
  return isEmpty ? undefined : part
}

function withMembers(value: unknown, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => withMembers(element, isKept))
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name))) : value
}
