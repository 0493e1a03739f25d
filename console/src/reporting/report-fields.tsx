import { TextInput } from '@mantine/core'
import { SqlEditor } from '../components/sql-editor.tsx'
import type { Action } from '../components/use-action.ts'

export type ReportInput = { readonly name: string; readonly sql: string }

export const nameless = 'Enter a name for the query'

type Parts = {
  readonly input: ReportInput
  readonly onChange: (input: ReportInput) => void
  /** What keeps it from being sent. */
  readonly lacks: Partial<Readonly<Record<keyof ReportInput, string | undefined>>>
  readonly action: Pick<Action<never>, 'faultOf'>
}

/** What a query over the reporting tables is called, and its SQL. */
export const ReportFields = ({ input, onChange, lacks, action }: Parts) => (
  <>
    <TextInput
      label="Name"
      value={input.name}
      onChange={(event) => onChange({ ...input, name: event.currentTarget.value })}
      error={action.faultOf('name', lacks.name)}
      maxLength={200}
    />
    <SqlEditor
      value={input.sql}
      onChange={(sql) => onChange({ ...input, sql })}
      label="SQL over the reporting tables"
      dialect="reporting"
      error={action.faultOf('sql', lacks.sql)}
    />
  </>
)
