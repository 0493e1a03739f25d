import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'

const app = testApp()
const make = makeIn(app)
const hours = (count: number) => plusMs(app.now(), count * 3_600_000)

beforeEach(() => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const strangers = () => app.addTenant('Other')
const owned = async (name: string) => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { name: `${name}’s owner` })
  return { owner, device: await make.device(organizationId, { name, registered_owner_id: owner.id }) }
}
type Named = { readonly name: string }
const namesIn = (body: { data: readonly Named[] }) => body.data.map(({ name }) => name)

const noResults = { counted: 0, passing: 0, failing: 0, errored: 0, unknown: 0, stale: 0, pending: 0 }

test('what is not known of a check is no failure: in lists, on the dashboard, in exports and a week later', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { name: 'Keys' })
  const none = await make.check(organizationId, { name: 'None', platforms: ['darwin'] })
  const devices = []
  for (const rows of ['PASS', 'FAIL', 'FAIL', 'UNKNOWN', 'ERROR', 'INAPPLICABLE', undefined] as const) {
    const device = await make.device(organizationId)
    devices.push(device)
    if (rows !== undefined) await make.result({ device, check, rows, at: app.now() })
  }
  await make.result({ device: devices[3] ?? assert.fail(), check: none, rows: 'UNKNOWN', at: app.now() })
  const browser = await signedIn()
  const counts = { counted: 6, passing: 1, failing: 2, errored: 1, unknown: 1, stale: 0, pending: 1 }
  const unheard = { ...noResults, counted: 7, unknown: 1, pending: 6 }
  const of = (body: Record<string, unknown>) =>
    Object.fromEntries(Object.keys(noResults).map((name) => [name, body[name]]))

  const list = (await browser.ask('GET', '/views/checks')).body.data
  assert.deepEqual(list.map(of), [counts, unheard])
  const find = async (query: string) => namesIn((await browser.ask('GET', `/views/checks?${query}`)).body)
  assert.deepEqual(await find('state=failing'), ['Keys'])
  assert.deepEqual(await find('state=undecided'), ['Keys', 'None'])
  assert.deepEqual(await find('state=passing'), [])
  assert.deepEqual(await find('sort=passing'), ['Keys', 'None'], 'what nothing is known of does not fail most')

  const facts = (await browser.ask('GET', `/views/checks/${check.id}`)).body
  assert.deepEqual([of(facts), facts.never_reported, facts.silent], [counts, 7, 0])
  const presence = { organization_id: organizationId, device_id: devices[0]?.id ?? '', last_seen_at: hours(-24 * 8) }
  await app.db.insertInto('device_presence').values(presence).execute()
  const later = (await browser.ask('GET', `/views/checks/${check.id}`)).body
  assert.deepEqual([later.never_reported, later.silent], [6, 1])

  const { failing_checks } = (await browser.ask('GET', '/views/summary')).body
  assert.deepEqual(failing_checks.map(of), [counts])
  assert.equal((await app.ask('GET', `/checks/${check.id}`)).body.percent_passing, 16)
  const csv: string = (await browser.ask('GET', '/views/checks?format=csv')).body
  const [head, line] = csv.trim().split('\r\n')
  assert.match(head ?? '', /counted,passing,failing,errored,unknown,stale,pending$/)
  assert.match(line ?? '', /,6,1,2,1,1,0,1$/)
})

test('checks come by name, page after page, and every filter finds what it says', async () => {
  const { organizationId } = app.tenant
  const { device } = await owned('Mac')
  const disk = await make.check(organizationId, { name: 'Disk 100%', platforms: ['darwin'] })
  const wall = await make.check(organizationId, { name: 'Wall', is_provided: false, type: 'custom' })
  await make.check(organizationId, { name: 'Alarm', type: 'external', is_provided: false, platforms: ['windows'] })
  await make.result({ device, check: disk, rows: 'FAIL', at: app.now() })
  await make.result({ device, check: wall, rows: 'PASS', at: app.now() })
  const tag = await app.db
    .insertInto('check_tags')
    .values({ organization_id: organizationId, name: 'Baseline' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.db
    .insertInto('check_tag_assignments')
    .values({ organization_id: organizationId, check_id: disk.id, check_tag_id: tag.id })
    .execute()
  const browser = await signedIn()
  const find = async (query: string) => namesIn((await browser.ask('GET', `/views/checks?${query}`)).body)

  const first = await browser.ask('GET', '/views/checks?per_page=2')
  const second = await browser.ask('GET', `/views/checks?per_page=2&cursor=${first.body.pagination.next_cursor}`)
  assert.deepEqual([...namesIn(first.body), ...namesIn(second.body)], ['Alarm', 'Disk 100%', 'Wall'])
  assert.deepEqual(first.body.data[1], {
    id: disk.id,
    name: 'Disk 100%',
    description: 'A check of the tests.',
    platforms: ['darwin'],
    kind: 'catalogue',
    strategy: 'report_only',
    is_paused: false,
    tags: [{ id: tag.id, name: 'Baseline' }],
    ...noResults,
    counted: 1,
    failing: 1,
  })
  assert.deepEqual(await find('search=100%25'), ['Disk 100%'])
  assert.deepEqual(await find('search=_'), [], 'an underscore is no wildcard')
  assert.deepEqual(await find('platform=windows'), ['Alarm', 'Wall'])
  assert.deepEqual(await find('kind=own'), ['Wall'])
  assert.deepEqual(await find('kind=external'), ['Alarm'])
  assert.deepEqual(await find('state=failing'), ['Disk 100%'])
  assert.deepEqual(await find('state=passing'), ['Wall'])
  assert.deepEqual(await find('state=paused&strategy=report_only'), [])
  assert.deepEqual(await find(`tag=${tag.id}`), ['Disk 100%'])
  assert.equal((await browser.ask('GET', '/views/checks?kind=lost')).status, 422)

  const facts = await browser.ask('GET', `/views/checks/${disk.id}`)
  const { statuses, open_issues, sql, option_definitions, recomputing, rationale, fix_instructions } = facts.body
  assert.deepEqual([statuses.failing, statuses.passing, open_issues, recomputing], [1, 0, 1, false])
  assert.deepEqual([sql, option_definitions], [`select 'PASS' as KOLIDE_CHECK_STATUS`, '{}'])
  assert.deepEqual([rationale, fix_instructions], ['Because.', 'Fix it.'])

  const { organizationId: foreign } = await strangers()
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign })
  assert.deepEqual((await stranger.ask('GET', '/views/checks')).body.data, [])
  const [hidden, unknown] = [
    await stranger.ask('GET', `/views/checks/${disk.id}`),
    await stranger.ask('GET', '/views/checks/900000000000000001'),
  ]
  assert.deepEqual([hidden.status, hidden.body], [404, unknown.body])
})

test('issues come newest first with device, owner and check, and are found by how they stand', async () => {
  const { organizationId } = app.tenant
  const [one, two] = [await owned('one'), await owned('two')]
  const blocking = { remediation_strategy: 'block_immediately' } as const
  const fix_instructions_template = 'Found {{ rows[0].KOLIDE_CHECK_STATUS | code }}.'
  const disk = await make.check(organizationId, { name: 'Disk', fix_instructions_template, configuration: blocking })
  const soon = await make.check(organizationId, {
    name: 'Soon',
    configuration: { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 1 },
  })
  const quiet = await make.check(organizationId, { name: 'Quiet' })
  const blocked = await make.issue({ device: one.device, check: disk, at: app.now() })
  const warned = await make.issue({ device: two.device, check: soon, at: hours(-1) })
  const told = await make.issue({ device: two.device, check: quiet, at: hours(-2) })
  const mended = await make.issue({ device: one.device, check: quiet, at: hours(-3) })
  await make.result({ device: one.device, check: quiet, rows: 'PASS', at: hours(-2) })
  const browser = await signedIn()
  const find = async (query: string) =>
    (await browser.ask('GET', `/views/issues?${query}`)).body.data.map(({ id }: { id: string }) => id)

  assert.deepEqual(await find(''), [blocked.id, warned.id, told.id])
  assert.deepEqual(await find('state=all'), [blocked.id, warned.id, told.id, mended.id])
  assert.deepEqual(await find('state=blocking'), [blocked.id])
  assert.deepEqual(await find('state=will_block'), [warned.id])
  assert.deepEqual(await find('state=notified'), [], 'of a check that only reports nobody is told')
  assert.deepEqual(await find('state=report_only'), [told.id])
  assert.deepEqual(await find('state=resolved'), [mended.id])
  assert.deepEqual(await find(`check=${quiet.id}`), [told.id])
  assert.deepEqual(await find(`device=${two.device.id}`), [warned.id, told.id])
  assert.deepEqual(await find('search=TWO'), [warned.id, told.id])
  const first = await browser.ask('GET', '/views/issues?per_page=1')
  assert.deepEqual(await find(`per_page=1&cursor=${first.body.pagination.next_cursor}`), [warned.id])

  const facts = await browser.ask('GET', `/views/issues/${blocked.id}`)
  assert.deepEqual(facts.body, {
    id: blocked.id,
    title: disk.issue_title,
    issue_value: null,
    exempted: false,
    detected_at: app.now(),
    resolved_at: null,
    blocks_at: app.now(),
    strategy: 'block_immediately',
    is_paused: false,
    is_held: false,
    device: { id: one.device.id, name: 'one' },
    check: { id: disk.id, name: 'Disk' },
    owner: { id: one.owner.id, name: 'one’s owner' },
    value: { KOLIDE_CHECK_STATUS: 'FAIL' },
    rationale: 'Because.',
    fix_instructions: 'Found `FAIL`.',
    issue_key: null,
    last_rechecked_at: app.now(),
    recheck_asked_at: null,
    exemption: null,
    exempted_on_request: false,
    snoozed_until: null,
    requests: [],
    earlier: [],
  })
  const { organizationId: foreign } = await strangers()
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign })
  assert.deepEqual((await stranger.ask('GET', '/views/issues?state=all')).body.data, [])
  assert.equal((await stranger.ask('GET', `/views/issues/${blocked.id}`)).status, 404)
})

test('exemptCheckOnDevice takes a check off a device, and endExemptionOfCheckOnDevice puts it back', async () => {
  const { organizationId } = app.tenant
  const { device } = await owned('one')
  const check = await make.check(organizationId, {
    name: 'Disk',
    configuration: { remediation_strategy: 'block_immediately' },
  })
  const issue = await make.issue({ device, check, at: app.now() })
  const path = `/devices/${device.id}/checks/${check.id}/exemption`
  const browser = await signedIn()
  const blank = await browser.ask('POST', path, { reason: ' ', expires_at: null })
  assert.deepEqual([blank.status, blank.body.errors], [422, [{ field: 'reason', message: 'must not be blank' }]])
  const past = await browser.ask('POST', path, { reason: 'Old.', expires_at: hours(-1) })
  assert.equal(past.body.errors[0].field, 'expires_at')
  assert.equal((await browser.ask('POST', path, { reason: 'Build server.', expires_at: hours(24) })).status, 204)
  const facts = await browser.ask('GET', `/views/issues/${issue.id}`)
  assert.deepEqual(
    [facts.body.exempted, facts.body.blocks_at, facts.body.exemption],
    [true, null, { reason: 'Build server.', since: app.now(), expires_at: hours(24) }],
  )
  assert.equal((await browser.ask('DELETE', path)).status, 204)
  assert.equal((await browser.ask('GET', `/views/issues/${issue.id}`)).body.exemption, null)
  const { data } = (await browser.ask('GET', '/audit_logs?per_page=2')).body
  assert.match(data[0].description, /^Ended the exemption of the device "one" from the check "Disk"/)
  assert.match(data[1].description, /^Exempted the device "one" from the check "Disk"/)
  const limited = await signedIn({ email: 'l@acme.example', access: 'limited', restrictions: ['manage_user_requests'] })
  assert.equal((await limited.ask('DELETE', path)).body.error, 'permission_missing')
  const { organizationId: foreign } = await strangers()
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign })
  assert.equal((await stranger.ask('POST', path, { reason: 'Mine.', expires_at: null })).status, 404)
})

test('a request for a device says which one it is, with what evidence, and who ended an earlier registration', async () => {
  const { organizationId } = app.tenant
  const columns = { serial: 'C02X', hardware_model: 'MacBook Air', operating_system: 'macOS 26.1' }
  const device = await make.device(organizationId, { name: 'air', ...columns })
  const person = await make.person(organizationId)
  const evidence = {
    ...{ sign_in_id: '7', application: 'Payroll', vouched_by: 'Okta', ip_address: '203.0.113.7' },
    ...{ is_same_network: false, companion_linked_at: app.now(), people_count: 2 },
  }
  const pair = { organization_id: organizationId, device_id: device.id, person_id: person.id }
  await app.db
    .insertInto('ended_registrations')
    .values({ ...pair, ended_at: app.now(), ended_by: 'Grace' })
    .execute()
  const asked = await make.registrationRequest({ device, person }, { evidence: JSON.stringify(evidence) })
  const browser = await signedIn()
  const listed = async (status: string) =>
    (await browser.ask('GET', `/views/registration_requests?status=${status}`)).body.data as {
      id: string
      status: string
    }[]
  const [{ id, ...shown } = { id: '' }] = await listed('waiting')
  assert.deepEqual({ ...shown, ...columns }, shown)
  assert.deepEqual(
    { id, ...shown },
    {
      id: asked.id,
      ...shown,
      evidence,
      is_suspended: false,
      ended: { at: app.now(), by: 'Grace' },
      present_owner: null,
    },
  )
  const taken = { status: 'denied', decided_at: app.now(), withdrawn_at: app.now() } as const
  await app.db.updateTable('registration_requests').set(taken).execute()
  const denied = await make.registrationRequest(
    { device, person: await make.person(organizationId) },
    { status: 'denied' },
  )
  const found = async (status: string) => (await listed(status)).map((row) => [row.id, row.status])
  assert.deepEqual(await found('withdrawn'), [[asked.id, 'withdrawn']])
  assert.deepEqual(await found('denied'), [[denied.id, 'denied']])
  assert.deepEqual(await found('waiting'), [])
})

test('requests come with names and issues, are counted while they wait, and are reopened', async () => {
  const { organizationId } = app.tenant
  const { device, owner } = await owned('one')
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const issue = await make.issue({ device, check, at: app.now() })
  const exemption = await make.exemptionRequest({ device, person: owner, issues: [issue] })
  const registration = await make.registrationRequest({ device, person: await make.person(organizationId) })
  const browser = await signedIn()
  assert.deepEqual((await browser.ask('GET', '/views/waiting_requests')).body, { exemptions: 1, registrations: 1 })
  const { body } = await browser.ask('GET', '/views/exemption_requests?status=waiting')
  assert.deepEqual(
    body.data.map((row: Record<string, unknown>) => [row['id'], row['status'], row['requester'], row['device']]),
    [[exemption.id, 'open', { id: owner.id, name: 'one’s owner' }, { id: device.id, name: 'one' }]],
  )
  assert.deepEqual((await browser.ask('GET', '/views/exemption_requests?status=denied')).body.data, [])
  const waiting = await browser.ask('GET', '/views/registration_requests?status=waiting')
  assert.deepEqual(waiting.body.data[0].present_owner, { id: owner.id, name: 'one’s owner' })
  const read = (path: string) => browser.ask('GET', `/views/${path}`)
  assert.deepEqual((await read(`exemption_requests/${exemption.id}`)).body, body.data[0])
  assert.deepEqual((await read(`registration_requests/${registration.id}`)).body, waiting.body.data[0])
  assert.equal((await read('exemption_requests/999')).status, 404)

  const denial = { status: 'denied', internal_message: 'No.', denial_explanation: 'Ask again.' }
  assert.equal((await browser.ask('PATCH', `/exemption_requests/${exemption.id}`, denial)).status, 200)
  const refusal = { status: 'denied', end_user_denial_message: 'It is not yours.' }
  assert.equal((await browser.ask('PATCH', `/registration_requests/${registration.id}`, refusal)).status, 200)
  assert.deepEqual((await browser.ask('GET', '/views/waiting_requests')).body, { exemptions: 0, registrations: 0 })
  const { organizationId: foreign } = await strangers()
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign })
  for (const kind of ['exemption', 'registration']) {
    const id = kind === 'exemption' ? exemption.id : registration.id
    const path = `/${kind}_requests/${id}/reopen`
    assert.equal((await stranger.ask('POST', path)).status, 404)
    assert.equal((await stranger.ask('GET', `/views/${kind}_requests/${id}`)).status, 404)
    assert.deepEqual((await stranger.ask('GET', `/views/${kind}_requests`)).body.data, [])
    assert.equal((await browser.ask('POST', path)).status, 204)
    assert.equal((await browser.ask('POST', path)).status, 204, 'what waits already stays')
  }
  assert.deepEqual((await browser.ask('GET', '/views/waiting_requests')).body, { exemptions: 1, registrations: 1 })
})

test('enableCatalogueCheck adds a check of the catalogue once', async () => {
  const browser = await signedIn()
  const before = (await browser.ask('GET', '/views/catalogue')).body.checks
  const entry = before.find(({ check_id }: { check_id: string | null }) => check_id === null)
  const path = `/catalogue/${entry.slug}/enable`
  const [one, two] = [await browser.ask('POST', path), await browser.ask('POST', path)]
  assert.deepEqual([one.status, two.body], [200, one.body])
  const after = (await browser.ask('GET', '/views/catalogue')).body.checks
  assert.equal(after.find(({ slug }: { slug: string }) => slug === entry.slug).check_id, one.body.check_id)
  assert.equal((await browser.ask('GET', `/checks/${one.body.check_id}`)).body.slug, entry.slug)
  assert.equal((await browser.ask('POST', '/catalogue/nothing-of-the-kind/enable')).status, 404)
  const limited = await signedIn({ email: 'l@acme.example', access: 'limited', restrictions: ['configure_checks'] })
  assert.equal((await limited.ask('POST', path)).body.error, 'permission_missing')
})

test('a draft is made, judged while it is written, edited and published', async () => {
  const browser = await signedIn()
  const unnamed = await browser.ask('POST', '/custom_check_drafts', { input: {} })
  assert.deepEqual([unnamed.status, unnamed.body.errors], [422, [{ field: 'name', message: 'is required' }]])
  const { body } = await browser.ask('POST', '/custom_check_drafts', { input: { name: 'Hosts' } })
  const path = `/custom_check_drafts/${body.id}`
  const fields = {
    description: 'Looks at the hosts file.',
    platforms: ['linux'],
    osquery_sql: `SELECT CASE WHEN COUNT(*) < {{ options.most | sql_integer }} THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM etc_hosts`,
    options: { most: { kind: 'integer', title: 'Most', description: 'Names.', default: 9, min: 1, max: 99 } },
    issue_title: 'Too many names',
    rationale_template: 'Because.',
    fix_instructions_template: 'Remove {% for row in rows %}{{ row.name | code }}{% endfor %}.',
    template_data_examples: [{ name: 'bank.example', KOLIDE_CHECK_STATUS: 'FAIL' }],
    privacy_info: 'Names.',
  }
  const judged = await browser.ask('POST', `${path}/judgement`, { ...fields, rationale_template: '{% nothing %}' })
  assert.deepEqual(
    [judged.body.sections.notification_templates.status, judged.body.sections.osquery_sql.status],
    ['bad', 'good'],
  )
  assert.deepEqual([judged.body.rationale, judged.body.fix_instructions], [null, 'Remove `bank.example`.'])
  assert.match(judged.body.sql, /COUNT\(\*\) < 9 /)
  const early = await browser.ask('POST', `${path}/publish`)
  assert.deepEqual([early.status, early.body.errors[0].field], [422, 'osquery_sql_status'])
  const wrong = await browser.ask('PATCH', path, { interval_minutes: 'often' })
  assert.deepEqual([wrong.status, wrong.body.errors[0].field], [422, 'interval_minutes'])
  const edited = await browser.ask('PATCH', path, fields)
  assert.deepEqual([edited.status, edited.body.publishable, edited.body.name], [200, true, 'Hosts'])
  assert.deepEqual((await browser.ask('GET', `/views${path}`)).body, edited.body)
  const published = await browser.ask('POST', `${path}/publish`)
  assert.equal(published.status, 200)
  assert.equal((await browser.ask('GET', `/checks/${published.body.check_id}`)).body.name, 'Hosts')

  const { organizationId: foreign } = await strangers()
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign })
  const limited = await signedIn({
    email: 'l@acme.example',
    access: 'limited',
    restrictions: ['manage_custom_check_drafts'],
  })
  for (const [method, address, sent] of [
    ['PATCH', path, {}],
    ['POST', `${path}/judgement`, {}],
    ['POST', `${path}/publish`, undefined],
  ] as const) {
    assert.equal((await stranger.ask(method, address, sent)).status, 404, address)
    assert.equal((await limited.ask(method, address, sent)).body.error, 'permission_missing', address)
  }
})

test('setCheckTags gives a check its tags, makes those that are new, and writes nothing twice', async () => {
  const { organizationId } = app.tenant
  const [disk, wall] = [
    await make.check(organizationId, { name: 'Disk' }),
    await make.check(organizationId, { name: 'Wall' }),
  ]
  const browser = await signedIn()
  const tag = (id: string, names: string[]) => browser.ask('POST', `/checks/${id}/tags`, { names })
  const tagsOf = async (id: string) => namesIn({ data: (await browser.ask('GET', `/views/checks/${id}`)).body.tags })
  assert.equal((await tag(disk.id, ['Laptops', ' Baseline ', 'BASELINE'])).status, 204)
  assert.deepEqual(await tagsOf(disk.id), ['BASELINE', 'Laptops'])
  assert.equal((await tag(wall.id, ['baseline'])).status, 204)
  assert.deepEqual(await tagsOf(wall.id), ['BASELINE'], 'a tag has one spelling')
  assert.equal((await tag(disk.id, ['laptops'])).status, 204)
  assert.deepEqual(await tagsOf(disk.id), ['Laptops'])
  const { data } = (await browser.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, 'Changed the tags of the check "Disk" from "BASELINE", "Laptops" to "Laptops".')
  assert.equal((await tag(disk.id, ['Laptops'])).status, 204)
  assert.equal((await browser.ask('GET', '/audit_logs?per_page=1')).body.data[0].id, data[0].id)
  const long = await tag(disk.id, ['x'.repeat(61), ' '])
  assert.deepEqual(
    [long.status, long.body.errors.map(({ field }: { field: string }) => field)],
    [422, ['names/0', 'names/1']],
  )
  assert.equal(
    (
      await tag(
        disk.id,
        Array.from({ length: 21 }, (_, index) => `t${index}`),
      )
    ).status,
    422,
  )
  const { organizationId: foreign } = await strangers()
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign })
  assert.equal((await stranger.ask('POST', `/checks/${disk.id}/tags`, { names: [] })).status, 404)
})

test('deleteCustomCheck deletes a check of one’s own, and none that comes with Muster', async () => {
  const { organizationId } = app.tenant
  const [own, provided] = [
    await make.check(organizationId, { name: 'Own', type: 'custom', is_provided: false }),
    await make.check(organizationId),
  ]
  const browser = await signedIn()
  assert.equal((await browser.ask('DELETE', `/checks/${provided.id}`)).status, 422)
  assert.equal((await browser.ask('DELETE', `/checks/${own.id}`)).status, 204)
  assert.equal((await browser.ask('GET', `/views/checks/${own.id}`)).status, 404)
})
