type Described = { readonly title: string; readonly description: string }

type Field = { readonly kind: 'integer' | 'text' | 'version'; readonly title: string }

/** How the server defines an option of a check. */
export type OptionDefinition = Described &
  (
    | { readonly kind: 'integer' | 'text' | 'version' }
    | { readonly kind: 'text_list' | 'integer_list' }
    | { readonly kind: 'record_list'; readonly fields: Readonly<Record<string, Field>> }
  )

export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>

export type RecordDraft = Readonly<Record<string, string>>

/** As it is typed: a line, a line for each entry, or a row for each record. */
export type OptionDraft = string | readonly RecordDraft[]

export function optionDraftOf(definition: OptionDefinition, value: unknown): OptionDraft {
  if (definition.kind === 'record_list') {
    const records = Array.isArray(value) ? (value as Readonly<Record<string, unknown>>[]) : []
    const columns = Object.keys(definition.fields)
    return records.map((record) => Object.fromEntries(columns.map((column) => [column, String(record[column] ?? '')])))
  }
  return Array.isArray(value) ? value.join('\n') : String(value ?? '')
}

/** What cannot be read as a number is sent as text, and refused by the server in its own words. */
const scalarOf = (kind: Field['kind'], text: string): string | number =>
  kind === 'integer' && /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text.trim()

export function optionValueOf(definition: OptionDefinition, draft: OptionDraft): unknown {
  if (definition.kind === 'record_list') {
    const fields = Object.entries(definition.fields)
    return typeof draft === 'string'
      ? []
      : draft.map((record) =>
          Object.fromEntries(fields.map(([column, { kind }]) => [column, scalarOf(kind, record[column] ?? '')])),
        )
  }
  const text = typeof draft === 'string' ? draft : ''
  if (definition.kind === 'integer_list' || definition.kind === 'text_list') {
    const kind = definition.kind === 'integer_list' ? 'integer' : 'text'
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => scalarOf(kind, line))
  }
  return scalarOf(definition.kind, text)
}
