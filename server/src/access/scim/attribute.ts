/** An attribute of a resource as RFC 7643 §7 describes it; what is left out has the value that §2.2 gives it. */
export type Attribute = {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime' | 'binary'
  readonly description: string
  readonly multiValued?: true
  readonly required?: true
  readonly caseExact?: true
  readonly mutability?: 'readOnly' | 'immutable'
  readonly uniqueness?: 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

export type ResourceSchema = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

/** A resource or complex value by the attributes' own names; nothing else gets in. */
export type Values = Record<string, unknown>

/** RFC 7643 §2.1: names are compared without regard to case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const wanted = name.toLowerCase()
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted)
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the database can hold the text. */
