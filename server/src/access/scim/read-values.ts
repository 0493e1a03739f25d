import { exceedsLimits, requestLimits } from '../../base/scan-json.ts'
import { isStorable } from '../../base/storable.ts'
import { type Attribute, findAttribute, isRecord, type Values } from './attribute.ts'
import { refuse } from './scim-error.ts'

const maxTextLength = 4_000
const maxElements = 200

/**
 * What an identity provider sent, under the attributes' own names. What no schema names is left out, as are read-only
 * attributes (RFC 7644 §3.3) and null or an empty list, which mean that there is none (RFC 7643 §2.5).
 */
export function readValues(attributes: readonly Attribute[], input: Record<string, unknown>): Values {
  const values: Values = {}
  for (const [name, value] of Object.entries(input)) {
    const attribute = findAttribute(attributes, name)
    if (!attribute || attribute.mutability === 'readOnly') continue
    const read = readValue(attribute, value)
    if (read === undefined) delete values[attribute.name]
    else values[attribute.name] = read
  }
  return values
}

/** Undefined: no value. */
export function readValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readOne(attribute, value)
  const parsed = attribute.type === 'complex' ? fromText(value) : undefined
  const list = Array.isArray(parsed) ? parsed : value
  const elements = Array.isArray(list) ? list : [list]
  if (elements.length > maxElements) {
    refuse(400, 'invalidValue', `${attribute.name} must not have more than ${maxElements} values.`)
  }
  const read = elements.map((element) => readOne(attribute, element)).filter((element) => element !== undefined)
  requireOnePrimary(attribute, read)
  return read.length === 0 ? undefined : read
}

/** One element of a multi-valued attribute, or the value of another. */
export function readOne(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (attribute.type === 'complex') return readComplex(attribute, value)
  if (attribute.type === 'boolean') return readBoolean(attribute, value)
  if (typeof value !== 'string') return refuse(400, 'invalidValue', `${attribute.name} must be a string.`)
  if (value.length > maxTextLength || !isStorable(value)) {
    refuse(400, 'invalidValue', `${attribute.name} must have at most ${maxTextLength} characters, and no NUL.`)
  }
  return value
}

function readComplex(attribute: Attribute, value: unknown): unknown {
  const read = readValues(attribute.subAttributes ?? [], objectOf(attribute, value))
  return Object.keys(read).length === 0 ? undefined : read
}

/** The parts of a complex value. Entra sends a manager as the bare identifier, others an object as JSON text. */
export function objectOf({ name, subAttributes = [] }: Attribute, value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  const parsed = fromText(value)
  if (isRecord(parsed) && Object.keys(parsed).some((part) => findAttribute(subAttributes, part))) return parsed
  const isBare = typeof value === 'string' && findAttribute(subAttributes, 'value') !== undefined
  return isBare ? { value } : refuse(400, 'invalidValue', `${name} must be an object.`)
}

/** What JSON text says; undefined for what is none. */
export function fromText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  if (exceedsLimits(value, requestLimits)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** Entra sends booleans as "True" and "False". */
function readBoolean(attribute: Attribute, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  return refuse(400, 'invalidValue', `${attribute.name} must be true or false.`)
}

/** RFC 7643 §2.4. */
function requireOnePrimary({ name }: Attribute, elements: readonly unknown[]): void {
  const primary = elements.filter((element) => isRecord(element) && element['primary'] === true)
  if (primary.length > 1) refuse(400, 'invalidValue', `${name} must not have more than one primary value.`)
}
