import { TextInput } from '@mantine/core'
import type { Action } from '../api/use-action.ts'
import { SqlEditor } from '../components/sql-editor.tsx'

export type ReportWishes = { readonly name: string; readonly sql: string }

export const nameless = 'A query needs a name'

type Parts = {
  readonly wishes: ReportWishes
  readonly onChange: (wishes: ReportWishes) => void
  /** What keeps it from being sent. */
  readonly lacks: Partial<Readonly<Record<keyof ReportWishes, string | undefined>>>
  readonly action: Pick<Action<never>, 'faultOf'>
}

/** What a query over the reporting tables is called, and its SQL. */
export const ReportFields = ({ wishes, onChange, lacks, action }: Parts) => (
  <>
    <TextInput
      label="Name"
      value={wishes.name}
      onChange={(event) => onChange({ ...wishes, name: event.currentTarget.value })}
      error={lacks.name ?? action.faultOf('name')}
      maxLength={200}
    />
    <SqlEditor
      value={wishes.sql}
      onChange={(sql) => onChange({ ...wishes, sql })}
      label="SQL over the reporting tables"
      dialect="reporting"
      error={lacks.sql ?? action.faultOf('sql')}
    />
  </>
)
