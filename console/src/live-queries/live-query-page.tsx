import { Button } from '@mantine/core'
import type { LiveQueryCampaign } from '@muster/contract/live-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf, api } from '../api/api.ts'
import { RecordPage } from '../components/record-page.tsx'
import '../components/list-body.css'
import './live-queries.css'
import { useLive } from '../api/live.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { SqlBlock } from '../components/sql-block.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { Answers } from './answers.tsx'
import { liveQueryQuery } from './live-query-queries.ts'

const route = getRouteApi('/shell/live-queries/$queryId')
const crumb = { to: '/live-queries', text: 'Live query' } as const

export function LiveQueryPage() {
  const { queryId } = route.useParams()
  const query = useQuery(liveQueryQuery(queryId, useLive().isOn))
  return (
    <RecordPage
      record={query}
      nouns={['live query', 'live queries']}
      id={queryId}
      crumb={crumb}
      why="It may have been deleted."
    >
      {(data) => <LoadedQuery query={data} />}
    </RecordPage>
  )
}

function LoadedQuery({ query }: { query: LiveQueryCampaign }) {
  const name = visibleText(query.name)
  return (
    <Page title={name} crumb={crumb} hasOwnTitle actions={<Actions query={query} />}>
      <div className="page">
        <h1 tabIndex={-1} className="ellipsis" title={name}>
          {name}
        </h1>
        <p className="secondary">{progressOf(query)}</p>
        <Progress query={query} />
        <SqlBlock sql={query.osquery_sql} label="the SQL" />
        <Answers query={query} />
      </div>
    </Page>
  )
}

const devicesIn = (count: number): string => (count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`)

function progressOf(query: LiveQueryCampaign): string {
  const { successful_devices_count: done, errored_devices_count: failed, waiting_devices_count: waiting } = query
  const parts = [`${done.toLocaleString('en')} of ${devicesIn(done + failed + waiting)} answered`]
  if (failed > 0) parts.push(`${devicesIn(failed)} could not run it`)
  const rest = waiting === 0 ? '' : ` Waiting up to 7 days for ${devicesIn(waiting)}.`
  return `${parts.join(', ')}.${rest}`
}

function Progress({ query }: { query: LiveQueryCampaign }) {
  const { successful_devices_count: done, errored_devices_count: failed, waiting_devices_count: waiting } = query
  const all = Math.max(done + failed + waiting, 1)
  return (
    <svg className="progress" viewBox="0 0 1000 6" preserveAspectRatio="none" role="img" aria-label={progressOf(query)}>
      <rect className="f-ink" x="0" y="0" width={(done / all) * 1_000} height="6" />
      <rect className="f-blocked" x={(done / all) * 1_000} y="0" width={(failed / all) * 1_000} height="6" />
    </svg>
  )
}

function Actions({ query }: { query: LiveQueryCampaign }) {
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const mayChange = useMay('create_live_query')
  const name = visibleText(query.name)
  const remove = useAction({
    act: () => api('deleteLiveQueryCampaign', { params: { id: query.id } }),
    refresh: ['listLiveQueryViews'],
    said: () => `${name} deleted`,
    onDone: () => void navigate({ to: '/live-queries' }),
    hasForm: true,
  })
  const answered = query.successful_devices_count + query.errored_devices_count
  return (
    <>
      {answered > 0 && (
        <a className="line-button" href={addressOf('exportLiveAnswers', { params: { campaignId: query.id } })} download>
          <Icon name="download" size={14} />
          Export CSV
        </a>
      )}
      {mayChange && (
        <Link className="line-button" to="/live-queries/new" search={{ from: query.id }}>
          Duplicate
        </Link>
      )}
      {mayChange && <Button onClick={() => setIsAsking(true)}>Delete…</Button>}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={`Delete ${name}?`}
        consequences={[
          `The answers of ${devicesIn(answered)} are deleted.`,
          ...(query.waiting_devices_count > 0
            ? [`${devicesIn(query.waiting_devices_count)} that have not answered are no longer asked.`]
            : []),
        ]}
        stays="The audit log keeps a record of it."
        verb="Delete the live query"
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
        fault={remove.faultBeside}
      />
    </>
  )
}
