import { Button, TextInput } from '@mantine/core'
import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import './reporting.css'
import { request } from '../api/request.ts'
import { useMay } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { SqlEditor } from '../components/sql-editor.tsx'
import { Page } from '../shell/page.tsx'

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
  const [name, setName] = useState('')
  const [sql, setSql] = useState(table === undefined ? '' : `select *\nfrom ${table}`)
  const [interval, setInterval] = useState('86400')
  const [isAsked, setIsAsked] = useState(false)
  const lackOfName = isAsked && name.trim() === '' ? 'A query needs a name' : undefined
  const lackOfSql = isAsked && sql.trim() === '' ? 'Write a SELECT over the reporting tables' : undefined
  const make = useAction<void, ReportingQuery>({
    act: () =>
      request('/views/reporting_queries', { method: 'POST', body: { name, sql, interval_seconds: Number(interval) } }),
    refresh: [['reporting', 'queries']],
    onDone: ({ id }) => void navigate({ to: '/reporting/queries/$queryId', params: { queryId: id } }),
    hasForm: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsAsked(true)
    if (name.trim() !== '' && sql.trim() !== '') make.mutate()
  }
  return (
    <form className="report-form" onSubmit={submit}>
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={lackOfName ?? make.faultOf('name')}
        maxLength={200}
      />
      <SqlEditor
        value={sql}
        onChange={setSql}
        label="SQL over the reporting tables"
        dialect="reporting"
        error={lackOfSql ?? make.faultOf('sql')}
      />
      <label className="interval">
        <span className="b">Runs</span>
        <select className="select" value={interval} onChange={(event) => setInterval(event.currentTarget.value)}>
          <option value="3600">every hour</option>
          <option value="86400">every day</option>
          <option value="604800">every week</option>
        </select>
      </label>
      <FormFault error={make.faultBeside('name', 'sql')} />
      <div className="row">
        <Button type="submit" variant="filled" loading={make.isPending}>
          Save and run
        </Button>
      </div>
    </form>
  )
}
