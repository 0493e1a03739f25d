import { Textarea } from '@mantine/core'
import './sql-editor.css'

type Parts = {
  readonly value: string
  readonly onChange: (sql: string) => void
  readonly label: string
  readonly error?: string | undefined
}

/** Where SQL is written. */
export const SqlEditor = ({ value, onChange, label, error }: Parts) => (
  <Textarea
    label={label}
    className="sql-editor"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error}
    rows={10}
    spellCheck={false}
    autoComplete="off"
    autoCapitalize="off"
    maxLength={64_000}
  />
)
