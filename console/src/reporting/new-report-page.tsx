import { Button } from '@mantine/core'
import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import './reporting.css'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Page } from '../components/page.tsx'
import { useAction } from '../components/use-action.ts'
import { nameless, ReportFields, type ReportInput } from './report-fields.tsx'

const route = getRouteApi('/shell/reporting/queries/new')
const crumb = { to: '/reporting/queries', text: 'Reporting queries' } as const

export function NewReportPage() {
  const mayWrite = useMay('create_live_query')
  return (
    <Page title="New reporting query" crumb={crumb}>
      <div className="page">{mayWrite ? <NewReport /> : <MissingPermission power="create_live_query" />}</div>
    </Page>
  )
}

function NewReport() {
  const { table } = route.useSearch()
  const navigate = useNavigate()
  const before = { name: '', sql: table === undefined ? '' : `select *\nfrom ${table}` }
  const [input, setInput] = useState<ReportInput>(before)
  const [interval, setInterval] = useState('86400')
  const [isAsked, setIsAsked] = useState(false)
  const lacks = {
    name: input.name.trim() === '' ? nameless : undefined,
    sql: input.sql.trim() === '' ? 'Write a SELECT over the reporting tables' : undefined,
  }
  const make = useAction<void, ReportingQuery>({
    act: () => api('createReportingQuery', { body: { ...input, interval_seconds: Number(interval) } }),
    refresh: ['listReportingQueries'],
    onDone: ({ id }) => void navigate({ to: '/reporting/queries/$queryId', params: { queryId: id } }),
    hasForm: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsAsked(true)
    if (lacks.name === undefined && lacks.sql === undefined) make.mutate()
  }
  return (
    <form className="report-form" onSubmit={submit}>
      <ReportFields input={input} onChange={setInput} lacks={isAsked ? lacks : {}} action={make} />
      <label className="interval">
        <span className="medium">Runs</span>
        <select className="select" value={interval} onChange={(event) => setInterval(event.currentTarget.value)}>
          <option value="3600">every hour</option>
          <option value="86400">every day</option>
          <option value="604800">every week</option>
        </select>
      </label>
      <LeaveGuard isDirty={(input.name !== '' || input.sql !== before.sql) && !make.isPending && !make.isSuccess} />
      <FormFault error={make.faultBeside} />
      <div className="row">
        <Button type="submit" variant="filled" loading={make.isPending}>
          Save and run
        </Button>
      </div>
    </form>
  )
}
