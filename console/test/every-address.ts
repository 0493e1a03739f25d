import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startHostileProvider } from '../../server/test/support/hostile-provider.ts'
import { askAsPage, type ConsoleInBrowser } from './browser.ts'

/** The parameter of an address, with what stands before it, and the record that it is filled with. */
export type Records = ReadonlyMap<string, string>

async function made(page: Page, path: string, body: object) {
  const answer = await askAsPage(page, 'POST', path, body)
  assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const firstOf = async (page: Page, path: string): Promise<string> =>
  (await askAsPage(page, 'GET', path)).body.data[0]?.id ?? assert.fail(`${path} is empty`)

/** An identity provider is read once, when it is added. */
async function makeUpstream(page: Page) {
  const provider = await startHostileProvider()
  provider.reset()
  const asked = { provider: 'oidc', name: 'Example ID', issuer: provider.issuer, email_domains: [] }
  const client = { client_id: 'muster', client_secret: 'a-secret-of-the-tests' }
  try {
    return await made(page, '/session/sign_in_upstreams', { ...asked, ...client })
  } finally {
    await provider.stop()
  }
}

/** What a server has to be set to, so that `makeRecords` can add an identity provider of this machine. */
export const settings = async () => ({ MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' })

/** As people and devices may have them; neither widens a page. */
const longNames = [
  'Maximiliane-Wilhelmine von Hohenfels-Öttingen zu Wallerstein',
  `<img src=x onerror=alert(1)>\u202e${'x'.repeat(160)}`,
] as const

/** Something to see on every page: what is not there yet is made. */
export async function makeRecords({ page, trial }: ConsoleInBrowser): Promise<Records> {
  await trial.run('simulate', 'requests', '--count', '6')
  await trial.run('simulate', 'sign-ins', '--count', '12')
  for (const [index, name] of longNames.entries())
    await made(page, '/people', { name, email: `long-${index}@halden.example` })
  const member = ['--member', 'long-0@halden.example']
  await trial.run('groups', 'create-person-group', 'Finance', ...member)
  const delivery = { method: 'urn:ietf:rfc:8936' }
  const stream = await made(page, '/ssf_streams', { name: 'Gateway', delivery })
  const events = ['device_trust.status_changed']
  const webhook = await made(page, '/webhook_endpoints', {
    url: 'https://hooks.invalid/in',
    events,
    description: 'SIEM',
  })
  await made(page, `/webhook_endpoints/${webhook.id}/test`, { event: events[0] })
  const draft = await made(page, '/custom_check_drafts', { input: { name: 'Hosts', osquery_sql: 'SELECT 1' } })
  const report = await made(page, '/reporting_queries', { name: 'Devices', sql: 'select 1 as one' })
  const asked = { name: 'Uptime', sql: 'select * from uptime', target_macs: true }
  const liveQuery = await made(page, '/live_query_campaigns', asked)
  const application = { name: 'Payroll', redirect_uris: ['https://payroll.invalid/callback'] }
  const unsigned = { ...application, kind: 'second_step', mode: 'disabled' }
  const connection = await made(page, '/session/sign_in_connections', unsigned)
  const { body: me } = await askAsPage(page, 'GET', '/session')
  const device = await firstOf(page, '/views/devices')
  await askAsPage(page, 'PATCH', `/devices/${device}`, { name: longNames[0], note: longNames[1] })
  const deviceGroup = await made(page, '/device_groups', { name: 'Laptops' })
  await made(page, `/device_groups/${deviceGroup.id}/memberships`, { device_ids: [device] })
  return new Map([
    ['/devices/$deviceId', device],
    ['/checks/$checkId', await firstOf(page, '/views/checks')],
    ['/checks/drafts/$draftId', draft.id],
    ['/issues/$issueId', await firstOf(page, '/views/issues')],
    ['/live-queries/$queryId', liveQuery.id],
    ['/reporting/tables/$name', 'device_uptime'],
    ['/reporting/queries/$queryId', report.id],
    ['/requests/exemptions/$requestId', await firstOf(page, '/views/exemption_requests')],
    ['/requests/registrations/$requestId', await firstOf(page, '/views/registration_requests')],
    ['/connections/$connectionId', connection.id],
    ['/connections/upstreams/$upstreamId', (await makeUpstream(page)).id],
    ['/$', 'no-such-page'],
    ['/people/$personId', await firstOf(page, '/people')],
    ['/groups/devices/$groupId', deviceGroup.id],
    ['/groups/people/$groupId', await firstOf(page, '/views/person_groups')],
    ['/sign-ins/$signInId', await firstOf(page, '/views/sign_ins')],
    ['/audit/$entryId', await firstOf(page, '/views/audit_logs')],
    ['/settings/admins/$administratorId', me.administrator.id],
    ['/settings/developers/streams/$streamId', stream.id],
    ['/settings/developers/webhooks/$endpointId', webhook.id],
    [
      '/settings/developers/webhooks/$endpointId/deliveries/$deliveryId',
      await firstOf(page, `/views/webhooks/${webhook.id}/deliveries`),
    ],
    ['/settings/developers/keys/$keyId', await firstOf(page, '/session/api_keys')],
  ])
}

/** The address of a page, with the records that its path asks for. */
export function addressOf(path: string, records: Records): string {
  const places = path.split('/')
  return places
    .map((place, index) => {
      if (!place.startsWith('$')) return place
      const upTo = places.slice(0, index + 1).join('/')
      return records.get(upTo) ?? assert.fail(`There is no record for ${upTo}: makeRecords does not know the page`)
    })
    .join('/')
}

/** Every address that the router of the page knows, filled with these records. */
export async function everyAddress(page: Page, records: Records): Promise<string[]> {
  const paths = await page.evaluate(() => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: { routesByPath: object } }
    return Object.keys(router.routesByPath)
  })
  const addresses = paths.map((path) => addressOf(path, records))
  return [...new Set(addresses.map((address) => address.replace(/(?<=.)\/$/, '')))].sort()
}
