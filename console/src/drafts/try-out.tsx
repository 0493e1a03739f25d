import { Button } from '@mantine/core'
import type { LiveQueryCampaign } from '@muster/contract/live-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { useNow } from '../components/relative-time.tsx'
import { RowsTable } from '../components/rows-table.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

const onlineWithinMs = 10 * 60_000

const onlineQuery = query(
  'listDeviceViews',
  { query: { standing: 'blocked,will_block,notified,good', sort: '-last_seen_at', per_page: 100 } },
  { pace: 'usual' },
)

const answerQuery = (campaignId: string | undefined) =>
  query(
    'listLiveQueryResults',
    { params: { liveQueryCampaignId: campaignId ?? '' }, query: { per_page: 1 } },
    {
      enabled: campaignId !== undefined,
      refetchInterval: ({ state }) => ((state.data?.data.length ?? 0) > 0 ? false : 1_500),
    },
  )

/** Runs the query, with the default options, on one device that is online: a live query like any other. */
export function TryOut({ name, sql }: { name: string; sql: string | null }) {
  const session = useSession()
  const id = useId()
  const now = useNow()
  const devices = useQuery(onlineQuery)
  const [deviceId, setDeviceId] = useState('')
  const run = useAction<void, LiveQueryCampaign>({
    act: () => {
      const body = { name: `Draft: ${name}`.slice(0, 200), sql: sql ?? '', targeted_device_ids: [deviceId] }
      return api('createLiveQueryCampaign', { body })
    },
    hasForm: true,
  })
  const answer = useQuery(answerQuery(run.data?.id))
  const may = session?.permissions.includes('create_live_query') && !session.disabled_features.includes('live_query')
  if (!may) return null
  const online = (devices.data?.data ?? []).filter(
    ({ last_seen_at: seen }) => seen !== null && now - Date.parse(seen) < onlineWithinMs,
  )
  const result = answer.data?.data[0]
  return (
    <section className="section" aria-labelledby="draft-try">
      <h2 id="draft-try">Try it now</h2>
      <div className="try-row">
        <label htmlFor={id}>Online device</label>
        <select
          id={id}
          className="select"
          value={deviceId}
          onChange={(event) => setDeviceId(event.currentTarget.value)}
        >
          <option value="">{devices.data && online.length === 0 ? 'No devices are online' : 'Choose a device'}</option>
          {online.map((device) => (
            <option key={device.id} value={device.id}>
              {visibleText(device.name)}
            </option>
          ))}
        </select>
        <Button disabled={sql === null || deviceId === ''} loading={run.isPending} onClick={() => run.mutate()}>
          Run on this device
        </Button>
      </div>
      <LoadFailure what="Online devices" query={devices} />
      <FormFault error={run.faultBeside} />
      <div role="status">
        {run.data && !result && <p className="secondary">Waiting for the device…</p>}
        {result?.error_message && <p className="bad">{visibleText(result.error_message)}</p>}
        {result && result.error_message === null && result.results.length === 0 && (
          <p className="secondary">No rows returned.</p>
        )}
      </div>
      {result && result.results.length > 0 && <Rows rows={result.results.slice(0, 50)} count={result.result_count} />}
    </section>
  )
}

function Rows({ rows, count }: { rows: readonly Readonly<Record<string, string>>[]; count: string }) {
  return (
    <div className="panel rows draft-rows">
      <RowsTable name="Rows of the device" rows={rows} />
      <div className="rows-foot">{count === '1' ? '1 row' : `${count} rows`}</div>
    </div>
  )
}
