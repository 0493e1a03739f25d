import { Button, TextInput } from '@mantine/core'
import type { LiveQueryCampaign } from '@muster/contract/live-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import './live-queries.css'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Page } from '../components/page.tsx'
import { SqlEditor } from '../components/sql-editor.tsx'
import { useAction } from '../components/use-action.ts'
import { liveQueryQuery } from './live-query-queries.ts'
import { TargetChoice, type Targets, targetBody, useTargeted } from './target-choice.tsx'

const route = getRouteApi('/shell/live-queries/new')
const crumb = { to: '/live-queries', text: 'Live query' } as const

export function NewLiveQueryPage() {
  const { from } = route.useSearch()
  const mayCreate = useMay('create_live_query')
  const source = useQuery({ ...liveQueryQuery(from ?? '', true), enabled: from !== undefined, refetchInterval: false })
  const isReady = from === undefined || source.data !== undefined || source.isError
  return (
    <Page title="New live query" crumb={crumb}>
      <div className="page">
        {!mayCreate && <MissingPermission power="create_live_query" />}
        {mayCreate && isReady && <QueryForm source={source.data} />}
      </div>
    </Page>
  )
}

function QueryForm({ source }: { source: LiveQueryCampaign | undefined }) {
  const { device } = route.useSearch()
  const navigate = useNavigate()
  const [name, setName] = useState(source?.name ?? '')
  const before = source?.osquery_sql ?? 'SELECT * FROM osquery_info'
  const [sql, setSql] = useState(before)
  const [targets, setTargets] = useState<Targets>({ platforms: [], devices: device === undefined ? [] : [device] })
  const [isAsked, setIsAsked] = useState(false)
  const targeted = useTargeted(targets)
  const run = useAction<void, LiveQueryCampaign>({
    act: () => api('createLiveQueryCampaign', { body: { name, sql, ...targetBody(targets) } }),
    refresh: ['listLiveQueryViews'],
    onDone: ({ id }) => void navigate({ to: '/live-queries/$queryId', params: { queryId: id } }),
    hasForm: true,
  })
  const lackOfName = name.trim() === '' ? 'Enter a name for the live query' : undefined
  const lackOfTarget = targets.platforms.length + targets.devices.length === 0 ? 'Choose what it runs on' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsAsked(true)
    if (lackOfName === undefined && lackOfTarget === undefined) run.mutate()
  }
  const size = targeted === 1 ? '1 device' : `${(targeted ?? 0).toLocaleString('en')} devices`
  return (
    <form className="query-form" onSubmit={submit}>
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={run.faultOf('name', isAsked ? lackOfName : undefined)}
        maxLength={200}
      />
      <SqlEditor value={sql} onChange={setSql} label="osquery SQL" dialect="osquery" error={run.faultOf('sql')} />
      <TargetChoice targets={targets} onChange={setTargets} />
      <LeaveGuard isDirty={sql !== before && !run.isPending && !run.isSuccess} />
      <FormFault error={(isAsked ? lackOfTarget : undefined) ?? run.faultBeside} />
      <p className="small secondary">Online devices answer immediately. Others have 7 days to respond.</p>
      <div className="dialog-ends">
        <Button type="submit" variant="filled" loading={run.isPending}>
          {targeted === undefined || targeted === 0 ? 'Run' : `Run on ${size}`}
        </Button>
      </div>
    </form>
  )
}
