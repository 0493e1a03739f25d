import { Button } from '@mantine/core'
import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { useAction } from '../components/use-action.ts'
import { nameless, ReportFields, type ReportInput } from './report-fields.tsx'

type Change = { readonly name?: string; readonly sql?: string }

/** Name and SQL of a query; other SQL runs at once. */
export function ReportEditor({ report, onRun }: { report: ReportingQuery; onRun: () => void }) {
  const before = { name: report.name, sql: report.osquery_sql }
  const [input, setInput] = useState<ReportInput>(before)
  const { name, sql } = input
  const isOther = sql !== before.sql
  const isRenamed = name.trim() !== before.name
  const save = useAction<Change>({
    act: (change) => api('editReportingQuery', { params: { id: report.id }, body: change }),
    refresh: ['getReportingQuery', 'listReportingQueries'],
    said: () => (isOther ? 'Saved; it runs now' : 'Saved'),
    onDone: (_answer, change) => {
      if (change.sql !== undefined) onRun()
    },
    hasForm: true,
  })
  const lack = name.trim() === '' ? nameless : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (lack === undefined) save.mutate({ ...(isRenamed && { name }), ...(isOther && { sql }) })
  }
  return (
    <form className="report-form" onSubmit={submit}>
      <ReportFields input={input} onChange={setInput} lacks={{ name: lack }} action={save} />
      <LeaveGuard isDirty={(isOther || isRenamed) && !save.isPending} />
      <FormFault error={save.faultBeside} />
      {(isOther || isRenamed) && (
        <div className="row">
          <Button type="submit" variant="filled" loading={save.isPending}>
            {isOther ? 'Save and run' : 'Save the name'}
          </Button>
          <Button variant="subtle" onClick={() => setInput(before)}>
            Discard
          </Button>
        </div>
      )}
    </form>
  )
}
