import { Button, Textarea, TextInput } from '@mantine/core'
import { visibleText } from '../../components/visible-text.ts'
import type { OptionDefinition, OptionDefinitions, OptionDraft, RecordDraft } from './option-drafts.ts'

type Parts = {
  readonly definitions: OptionDefinitions
  readonly drafts: Readonly<Record<string, OptionDraft>>
  readonly onChange: (name: string, draft: OptionDraft) => void
  readonly faultUnder: (path: string) => string | undefined
}

export const OptionFields = ({ definitions, drafts, onChange, faultUnder }: Parts) => (
  <>
    {Object.entries(definitions).map(([name, definition]) => (
      <OptionField
        key={name}
        name={name}
        definition={definition}
        draft={drafts[name] ?? ''}
        onChange={(draft) => onChange(name, draft)}
        fault={faultUnder(`options/${name}`)}
      />
    ))}
  </>
)

type FieldParts = {
  readonly name: string
  readonly definition: OptionDefinition
  readonly draft: OptionDraft
  readonly onChange: (draft: OptionDraft) => void
  readonly fault: string | undefined
}

function OptionField({ name, definition, draft, onChange, fault }: FieldParts) {
  const shared = { label: visibleText(definition.title), description: visibleText(definition.description) }
  if (definition.kind === 'record_list') {
    const records = typeof draft === 'string' ? [] : draft
    return <Records {...shared} fields={definition.fields} records={records} onChange={onChange} fault={fault} />
  }
  const text = typeof draft === 'string' ? draft : ''
  const common = { ...shared, error: fault, value: text, name: `option-${name}` }
  if (definition.kind === 'text_list' || definition.kind === 'integer_list') {
    return (
      <Textarea
        {...common}
        description={`${shared.description} One a line.`}
        rows={Math.min(8, text.split('\n').length + 1)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...common}
      className={definition.kind === 'integer' ? 'field-number' : ''}
      inputMode={definition.kind === 'integer' ? 'numeric' : 'text'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

type RecordParts = {
  readonly label: string
  readonly description: string
  readonly fields: Readonly<Record<string, { readonly title: string }>>
  readonly records: readonly RecordDraft[]
  readonly onChange: (records: readonly RecordDraft[]) => void
  readonly fault: string | undefined
}

function Records({ label, description, fields, records, onChange, fault }: RecordParts) {
  const columns = Object.entries(fields)
  const change = (index: number, column: string, value: string) =>
    onChange(records.map((record, at) => (at === index ? { ...record, [column]: value } : record)))
  return (
    <fieldset className="records">
      <legend>{label}</legend>
      <p className="small faint">{description}</p>
      <table>
        <thead>
          <tr>
            {columns.map(([column, { title }]) => (
              <th key={column}>{visibleText(title)}</th>
            ))}
            <th>
              <span className="hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity but their place
            <tr key={index}>
              {columns.map(([column, { title }]) => (
                <td key={column}>
                  <TextInput
                    aria-label={`${visibleText(title)}, entry ${index + 1}`}
                    value={record[column] ?? ''}
                    onChange={(event) => change(index, column, event.currentTarget.value)}
                  />
                </td>
              ))}
              <td>
                <button
                  type="button"
                  className="plain secondary"
                  aria-label={`Remove entry ${index + 1}`}
                  onClick={() => onChange(records.filter((_, at) => at !== index))}
                >
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button onClick={() => onChange([...records, Object.fromEntries(columns.map(([column]) => [column, '']))])}>
        Add an entry
      </Button>
      {fault !== undefined && (
        <p className="bad small" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
