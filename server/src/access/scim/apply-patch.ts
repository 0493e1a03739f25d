import { isDeepStrictEqual } from 'node:util'
import { type Attribute, findAttribute, isRecord, type Values } from './attribute.ts'
import { matchesFilter } from './match-filter.ts'
import type { Filter } from './parse-filter.ts'
import { findPath, parsePath, type Step } from './parse-path.ts'
import type { Operation } from './read-operations.ts'
import { fromText, objectOf, readOne, readValue } from './read-values.ts'
import { refuse } from './scim-error.ts'

type Kind = Operation['op']

/** The resource after the operations of a PATCH, in their order (RFC 7644 §3.5.2). The one given stays as it was. */
export function applyPatch(
  attributes: readonly Attribute[],
  coreUrn: string,
  resource: Values,
  operations: readonly Operation[],
): Values {
  const patched = structuredClone(resource)
  for (const { op, path, value } of operations) {
    if (path !== undefined) apply(patched, op, parsePath(attributes, coreUrn, path), value)
    else for (const [steps, part] of membersOf(attributes, coreUrn, value)) apply(patched, op, steps, part)
  }
  return patched
}

/** Without a path the value is a part of the resource. Entra names attributes in it by their paths. */
function membersOf(attributes: readonly Attribute[], coreUrn: string, value: unknown): [Step[], unknown][] {
  const parts = isRecord(value) ? value : fromText(value)
  if (!isRecord(parts)) return refuse(400, 'invalidValue', 'An operation without a path needs an object for its value.')
  return Object.entries(parts).flatMap(([name, part]) => {
    const steps = findPath(attributes, coreUrn, name)
    return steps ? [[steps, part] as [Step[], unknown]] : []
  })
}

function apply(target: Values, kind: Kind, [step, ...rest]: readonly Step[], value: unknown): void {
  if (!step) return
  const { attribute } = step
  const { name } = attribute
  const next = attribute.multiValued
    ? changedElements(elementsOf(target[name]), kind, step, rest, value)
    : changedValue(target[name], kind, attribute, rest, value)
  if (next === undefined) delete target[name]
  else target[name] = next
}

const elementsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function changedValue(
  current: unknown,
  kind: Kind,
  attribute: Attribute,
  rest: readonly Step[],
  value: unknown,
): unknown {
  if (rest.length > 0) {
    const inner = isRecord(current) ? { ...current } : {}
    apply(inner, kind, rest, value)
    return Object.keys(inner).length === 0 ? undefined : inner
  }
  if (kind === 'remove') return undefined
  return merged(attribute, current, value)
}

/** §3.5.2.1 and §3.5.2.3: of a complex attribute the parts that are given change, the others stay. */
function merged(attribute: Attribute, current: unknown, value: unknown): unknown {
  if (attribute.type !== 'complex' || !isRecord(current) || value === null) return readOne(attribute, value)
  const parts = objectOf(attribute, value)
  // A bare manager is another person, of whom nothing else is known.
  if (!attribute.multiValued && parts['value'] === value) return readOne(attribute, value)
  const result = { ...current }
  for (const [name, part] of Object.entries(parts)) {
    const inner = findAttribute(attribute.subAttributes ?? [], name)
    if (!inner || inner.mutability === 'readOnly') continue
    const read = readValue(inner, part)
    if (read === undefined) delete result[inner.name]
    else result[inner.name] = read
  }
  return Object.keys(result).length === 0 ? undefined : result
}

function changedElements(
  current: readonly unknown[],
  kind: Kind,
  step: Step,
  rest: readonly Step[],
  value: unknown,
): unknown[] | undefined {
  const { attribute, filter } = step
  const isWhole = filter === undefined && rest.length === 0
  const changed = isWhole
    ? changedWhole(current, kind, attribute, value)
    : changedMatches(current, kind, step, rest, value)
  const kept = kind === 'remove' ? changed.filter(saysSomething) : changed
  // Read again, for the bounds that hold for the whole.
  return readValue(attribute, onePrimary(current, kept)) as unknown[] | undefined
}

/** An element whose value was removed, or is blank, only says what the value was for. */
const saysSomething = (element: unknown): boolean =>
  !isRecord(element) ||
  Object.entries(element).some(([name, part]) => name !== 'type' && name !== 'primary' && part !== '')

function changedWhole(
  current: readonly unknown[],
  kind: Kind,
  attribute: Attribute,
  value: unknown,
): readonly unknown[] {
  const given = elementsOf(readValue(attribute, value))
  if (kind === 'replace') return given
  // §3.5.2.1: a value that is there already is not added again.
  if (kind === 'add')
    return [...current, ...given.filter((one) => !current.some((other) => isDeepStrictEqual(one, other)))]
  if (value === undefined || value === null) return []
  return current.filter((element) => !given.some((one) => isSameElement(one, element)))
}

/** Which values to remove may be told by the values themselves, which no RFC says and clients do. */
function isSameElement(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other) || one['value'] === undefined) return isDeepStrictEqual(one, other)
  return one['value'] === other['value'] && (one['type'] === undefined || one['type'] === other['type'])
}

function changedMatches(
  current: readonly unknown[],
  kind: Kind,
  { attribute, filter }: Step,
  rest: readonly Step[],
  value: unknown,
): readonly unknown[] {
  const { subAttributes = [] } = attribute
  const isMeant = (element: unknown) =>
    filter === undefined || (isRecord(element) && matchesFilter(subAttributes, element, filter))
  if (kind === 'remove' && rest.length === 0) return current.filter((element) => !isMeant(element))
  if (!current.some(isMeant)) {
    if (kind === 'remove') return current
    // §3.5.2.3 has replacing what is not there fail. Entra does so, with a leaver's deactivation in the same request.
    const made = madeElement(attribute, filter, rest, value)
    return saysSomething(made) ? [...current, made] : current
  }
  return current.map((element) => {
    if (!isMeant(element)) return element
    if (rest.length === 0) return merged(attribute, element, value) ?? {}
    const inner = isRecord(element) ? { ...element } : {}
    apply(inner, kind, rest, value)
    return inner
  })
}

/** A new value that the filter would match: with `emails[type eq "work"].value`, one for work. */
function madeElement(attribute: Attribute, filter: Filter | undefined, rest: readonly Step[], value: unknown): Values {
  const element: Values = {}
  for (const [name, part] of equalities(filter)) {
    const inner = findAttribute(attribute.subAttributes ?? [], name)
    const read = inner ? readValue(inner, part) : undefined
    if (inner && read !== undefined) element[inner.name] = read
  }
  if (filter && !matchesFilter(attribute.subAttributes ?? [], element, filter)) {
    refuse(400, 'noTarget', 'The filter of the path matches no value, and none can be added.')
  }
  if (rest.length > 0) apply(element, 'add', rest, value)
  else Object.assign(element, merged(attribute, {}, value))
  return element
}

function equalities(filter: Filter | undefined): [name: string, value: unknown][] {
  if (filter?.op === 'and') return filter.filters.flatMap(equalities)
  if (filter?.op === 'eq') return [[filter.attrPath, filter.compValue]]
  return filter ? refuse(400, 'noTarget', 'The filter of the path matches no value, and does not say what to add.') : []
}

/** §3.5.2: a value that becomes the primary one takes that from the one before. */
function onePrimary(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const isPrimary = (element: unknown) => isRecord(element) && element['primary'] === true
  const primary = after.filter(isPrimary)
  const fresh = primary.filter((element) => !before.some((old) => isDeepStrictEqual(old, element)))
  if (primary.length < 2 || fresh.length !== 1) return after
  return after.map((element) =>
    isRecord(element) && isPrimary(element) && element !== fresh[0] ? { ...element, primary: false } : element,
  )
}
