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
  const elements = Array.isArray(value) ? value : [value]
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
  const { subAttributes = [] } = attribute
  // Entra sends a manager as the bare identifier.
  const isBare = typeof value === 'string' && findAttribute(subAttributes, 'value') !== undefined
  const object = isBare ? { value } : value
  if (!isRecord(object)) return refuse(400, 'invalidValue', `${attribute.name} must be an object.`)
  const read = readValues(subAttributes, object)
  return Object.keys(read).length === 0 ? undefined : read
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
