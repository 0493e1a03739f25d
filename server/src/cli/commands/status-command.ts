import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { countIssueViews } from '../../console/views/issue-queries.ts'
import { countPersonViews } from '../../console/views/people.ts'
import { countStandings, countWaitingRequests } from '../../console/views/queries.ts'
import { describeSilence, readBackgroundStatus } from '../../health/worker-heartbeats.ts'
import { ownVersion } from '../../http/own-version.ts'
import type { Standing } from '../../inventory/devices/standing.ts'
import { listConnections } from '../../sign-in/connections/connection-queries.ts'
import { type CommandContext, defineCommand } from '../data-command.ts'
import { organizationOf } from '../organization-of.ts'
import { everyStream } from '../streams/every-stream.ts'
import { alignFields } from '../table.ts'
import { everyEndpoint } from '../webhooks/every-endpoint.ts'
import { statusDescription } from './status-description.ts'

/** How one organization stands, by what the console and the metrics count. */
export const statusCommand = defineCommand({
  name: 'status',
  args: statusDescription.args,
  async run(context, { organization, json = false }, io) {
    const status = await readStatus(context, organization)
    if (json) await io.line(JSON.stringify(status))
    else for (const line of alignFields(fieldsOf(status))) await io.line(line)
  },
})

/** Those that the service disabled as well, since nothing could be delivered. */
const isTroubled = ({ health, disabled_reason: reason }: WebhookEndpoint): boolean =>
  health.state === 'failing' || reason === 'failing' || reason === 'gone'

type Status = Awaited<ReturnType<typeof readStatus>>

async function readStatus(context: CommandContext, named: string | undefined) {
  const { connection, config, now } = context
  const { db } = connection
  const { id, name, base_url: ownUrl } = await organizationOf(db, named)
  const standings = await countStandings(db, id, now)
  const devicesThatAre = (standing: Standing) => standings.find((one) => one.standing === standing)?.devices ?? 0
  const modes = (await listConnections(db, id)).map(({ mode, paused_until: until }) =>
    mode === 'enforce' && (until ?? '') > now ? 'paused' : mode,
  )
  const inMode = (asked: (typeof modes)[number]) => modes.filter((mode) => mode === asked).length
  const streams = await everyStream(context, id)
  const endpoints = await everyEndpoint(context, id)
  const background = await readBackgroundStatus(db)
  return {
    version: ownVersion,
    address: ownUrl ?? config.baseUrl,
    organization: { id, name },
    devices: {
      good: devicesThatAre('good'),
      notified: devicesThatAre('notified'),
      will_block: devicesThatAre('will_block'),
      blocked: devicesThatAre('blocked'),
      stale: devicesThatAre('stale'),
      never: devicesThatAre('never'),
    },
    open_issues: (await countIssueViews(db, id, { state: 'open' }, now)).count,
    people: (await countPersonViews(db, id, { status: 'active' })).count,
    waiting_requests: await countWaitingRequests(db, id),
    connections: {
      enforce: inMode('enforce'),
      observe: inMode('observe'),
      paused: inMode('paused'),
      disabled: inMode('disabled'),
    },
    streams: { count: streams.length, failing: streams.filter(({ health }) => health.state === 'failing').length },
    webhooks: { count: endpoints.length, failing: endpoints.filter(isTroubled).length },
    workers: { running: background.workers, silent_for_seconds: background.silentForSeconds },
  }
}

const fieldsOf = ({ devices, connections, workers, ...status }: Status): [string, string][] => [
  ['version', status.version],
  ['address', status.address],
  ['organization', `${status.organization.id} ${status.organization.name}`],
  [
    'devices',
    partsOf([
      [devices.good, 'Good'],
      [devices.notified, 'Notified'],
      [devices.will_block, 'Will Block'],
      [devices.blocked, 'Blocked'],
      [devices.stale, 'not seen for 7 days'],
      [devices.never, 'never seen'],
    ]),
  ],
  ['open issues', String(status.open_issues)],
  ['people', String(status.people)],
  ['waiting requests', String(status.waiting_requests)],
  [
    'connections',
    partsOf([
      [connections.enforce, 'enforce'],
      [connections.observe, 'observe'],
      [connections.paused, 'paused'],
      [connections.disabled, 'disabled'],
    ]),
  ],
  ['streams', describeReceivers(status.streams)],
  ['webhooks', describeReceivers(status.webhooks)],
  ['workers', describeWorkers(workers)],
]

/** Those that there are, such as `12 Good, 3 Blocked`. */
const partsOf = (counts: readonly (readonly [count: number, name: string])[]): string =>
  counts.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ') || 'none'

const describeReceivers = ({ count, failing }: Status['streams']): string =>
  count === 0 ? 'none' : `${count}, ${failing === 0 ? 'none' : failing} failing`

function describeWorkers({ running, silent_for_seconds: silentForSeconds }: Status['workers']): string {
  const silence = describeSilence({ workers: running, silentForSeconds })
  return silence ?? `${running} running, last heard of ${Math.round(silentForSeconds ?? 0)} s ago`
}
