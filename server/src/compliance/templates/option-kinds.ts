type Described = { readonly title: string; readonly description: string }
type IntegerLimits = { readonly min: number; readonly max: number }
type TextLimits = { readonly maxLength: number }
type ListLimits = { readonly minItems: number; readonly maxItems: number }

/** One column of a record list; `version` is dot-separated numbers such as 15.7.1. */
export type OptionField =
  | ({ readonly kind: 'integer'; readonly title: string } & IntegerLimits)
  | ({ readonly kind: 'text'; readonly title: string } & TextLimits)
  | { readonly kind: 'version'; readonly title: string }

export type OptionRecord = { readonly [column: string]: string | number }

/** An option that an administrator sets for a check: plain data, from which a form can be drawn. */
export type OptionDefinition = Described &
  (
    | ({ readonly kind: 'integer'; readonly default: number } & IntegerLimits)
    | ({ readonly kind: 'text'; readonly default: string } & TextLimits)
    | { readonly kind: 'version'; readonly default: string }
    | ({ readonly kind: 'text_list'; readonly default: readonly string[] } & TextLimits & ListLimits)
    | ({ readonly kind: 'integer_list'; readonly default: readonly number[] } & IntegerLimits & ListLimits)
    | ({
        readonly kind: 'record_list'
        readonly default: readonly OptionRecord[]
        readonly fields: { readonly [column: string]: OptionField }
      } & ListLimits)
  )

export type OptionValue = OptionDefinition['default']

type Fault = { field: string; message: string } | undefined

/** The first fault of `value` under `definition`, with the path of the faulty part; undefined when it fits. */
export function optionFault(definition: OptionDefinition, value: unknown, path: string): Fault {
  switch (definition.kind) {
    case 'text_list':
      return listFault(definition, value, path, (item, at) => scalarFault({ ...definition, kind: 'text' }, item, at))
    case 'integer_list':
      return listFault(definition, value, path, (item, at) => scalarFault({ ...definition, kind: 'integer' }, item, at))
    case 'record_list':
      return listFault(definition, value, path, (item, at) => recordFault(definition.fields, item, at))
    case 'integer':
    case 'text':
    case 'version':
      return scalarFault(definition, value, path)
  }
}

function listFault(limits: ListLimits, value: unknown, path: string, itemFault: (item: unknown, at: string) => Fault) {
  if (!Array.isArray(value)) return { field: path, message: 'must be a list' }
  if (value.length < limits.minItems) return { field: path, message: `must have at least ${limits.minItems} entries` }
  if (value.length > limits.maxItems) return { field: path, message: `must have at most ${limits.maxItems} entries` }
  for (const [index, item] of value.entries()) {
    const fault = itemFault(item, `${path}/${index}`)
    if (fault) return fault
  }
  return undefined
}

function recordFault(fields: Readonly<Record<string, OptionField>>, value: unknown, path: string): Fault {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: path, message: 'must be an object' }
  }
  const unknownName = Object.keys(value).find((name) => !Object.hasOwn(fields, name))
  if (unknownName !== undefined) return { field: `${path}/${unknownName}`, message: 'is not a known field' }
  for (const [name, field] of Object.entries(fields)) {
    const fault = scalarFault(field, (value as Record<string, unknown>)[name], `${path}/${name}`)
    if (fault) return fault
  }
  return undefined
}

type Scalar = ({ kind: 'integer' } & IntegerLimits) | ({ kind: 'text' } & TextLimits) | { kind: 'version' }

function scalarFault(limits: Scalar, value: unknown, field: string): Fault {
  const message = scalarMessage(limits, value)
  return message === undefined ? undefined : { field, message }
}

function scalarMessage(limits: Scalar, value: unknown): string | undefined {
  if (limits.kind === 'integer') {
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= limits.min && value <= limits.max
    return fits ? undefined : `must be a whole number from ${limits.min} to ${limits.max}`
  }
  if (limits.kind === 'version') {
    const fits = typeof value === 'string' && /^\d{1,9}(\.\d{1,9}){0,5}$/.test(value)
    return fits ? undefined : 'must be a version such as 15.7.1'
  }
  if (typeof value !== 'string' || value === '') return 'must be a text that is not empty'
  if (value.length > limits.maxLength) return `must have at most ${limits.maxLength} characters`
  return isPlainText(value) ? undefined : 'must not contain control characters'
}

function isPlainText(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value)
}
