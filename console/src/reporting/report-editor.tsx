import { Button, TextInput } from '@mantine/core'
import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { SqlEditor } from '../components/sql-editor.tsx'

type Change = { readonly name?: string; readonly sql?: string }

/** Name and SQL of a query; other SQL runs at once. */
export function ReportEditor({ report, onRun }: { report: ReportingQuery; onRun: () => void }) {
  const [name, setName] = useState(report.name)
  const [sql, setSql] = useState(report.osquery_sql)
  const isOther = sql !== report.osquery_sql
  const isRenamed = name.trim() !== report.name
  const save = useAction<Change>({
    act: (change) => request(`/views/reporting_queries/${report.id}`, { method: 'PATCH', body: change }),
    refresh: [
      ['reporting', 'query', report.id],
      ['reporting', 'queries'],
    ],
    said: () => (isOther ? 'Saved; it runs now' : 'Saved'),
    onDone: (_answer, change) => {
      if (change.sql !== undefined) onRun()
    },
    hasForm: true,
  })
  const lack = name.trim() === '' ? 'A query needs a name' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (lack === undefined) save.mutate({ ...(isRenamed && { name }), ...(isOther && { sql }) })
  }
  return (
    <form className="report-form" onSubmit={submit}>
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={lack ?? save.faultOf('name')}
        maxLength={200}
      />
      <SqlEditor
        value={sql}
        onChange={setSql}
        label="SQL over the reporting tables"
        dialect="reporting"
        error={save.faultOf('sql')}
      />
      <FormFault error={save.faultBeside('name', 'sql')} />
      {(isOther || isRenamed) && (
        <div className="row">
          <Button type="submit" variant="filled" loading={save.isPending}>
            {isOther ? 'Save and run' : 'Save the name'}
          </Button>
          <Button
            variant="subtle"
            onClick={() => {
              setName(report.name)
              setSql(report.osquery_sql)
            }}
          >
            Discard
          </Button>
        </div>
      )}
    </form>
  )
}
