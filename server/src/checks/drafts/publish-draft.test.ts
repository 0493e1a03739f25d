import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { updateConfiguration } from '../configuration/update-configuration.ts'
import { createDraft } from './create-draft.ts'
import { editDraft } from './edit-draft.ts'
import { publishDraft } from './publish-draft.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(async () => {
  await app.reset()
  app.setNow(startOfTests)
})

const hosts = {
  name: 'Hosts file is untouched',
  slug: 'hosts-file',
  description: 'Looks for names that lead elsewhere.',
  platforms: ['linux', 'darwin'],
  interval_minutes: 30,
  osquery_sql: `SELECT hostnames, 'FAIL' AS KOLIDE_CHECK_STATUS FROM etc_hosts WHERE length(address) > {{ options.shortest | sql_integer }}`,
  options: {
    shortest: { kind: 'integer', title: 'Shortest', description: 'Of addresses.', default: 3, min: 0, max: 99 },
  },
  requires_primary_key: true,
  primary_key_column: 'hostnames',
  issue_title: 'The hosts file redirects a name',
  rationale_template: 'A name that leads elsewhere can send your password to a stranger.',
  fix_instructions_template: '1. Remove it.',
  privacy_info: 'Names in the hosts file.',
  template_data_examples: [{ hostnames: 'a' }],
}

const by = () => systemChange(app.tenant.organizationId, app.now())
const create = (input: object = hosts, checkId?: string) =>
  transact(app.db, (tx) => createDraft(tx, { input, checkId }, by()))
const edit = (draftId: string, input: object) => transact(app.db, (tx) => editDraft(tx, { draftId, input }, by()))
const publish = (draftId: string) => transact(app.db, (tx) => publishDraft(tx, { draftId }, by()))
const recompute = (checkId: string) =>
  recomputeCheck(
    app.db,
    { organizationId: app.tenant.organizationId, checkId },
    () => contextAt(app.now()),
    new AbortController().signal,
  )

const draftOf = async (id: string) => (await app.ask('GET', `/custom_check_drafts/${id}`)).body
const lastAudits = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data.map(
    (entry: { description: string }) => entry.description,
  )
const faultsOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ServiceError, String(error))
  return { code: error.code, message: error.message, errors: error.errors }
}
const statuses = async () =>
  app.db.selectFrom('check_results').select(['device_id', 'status']).orderBy('device_id').execute()

test('publishing makes a custom check that only reports, pending on the devices it fits', async () => {
  const mac = await make.device(app.tenant.organizationId)
  await make.device(app.tenant.organizationId, { device_type: 'Windows' })
  const id = await create()
  const checkId = await publish(id)
  await recompute(checkId)
  const check = (await app.ask('GET', `/checks/${checkId}`)).body
  assert.deepEqual(check, {
    id: checkId,
    name: hosts.name,
    slug: 'hosts-file',
    compatible_platforms: ['darwin', 'linux'],
    description: hosts.description,
    topics: [],
    osquery_sql_template: hosts.osquery_sql,
    issue_title: hosts.issue_title,
    fix_instructions_template: hosts.fix_instructions_template,
    rationale_template: hosts.rationale_template,
    check_tags: [],
    blocks_auth_configuration: {
      blocking_enabled: false,
      grace_period_days: 7,
      blocking_group_names: [],
      blocking_exempt_group_names: [],
    },
    targeting_configuration: { excluded_groups: [], targeted_groups: [] },
    percent_passing: 0,
    kolide_provided: false,
    type: 'custom',
  })
  const configuration = (await app.ask('GET', `/checks/${checkId}/configurations`)).body
  assert.deepEqual([configuration.remediation_strategy, configuration.options], ['report_only', '{"shortest":3}'])
  assert.deepEqual(await statuses(), [{ device_id: mac.id, status: 'pending' }])
  const draft = await draftOf(id)
  assert.deepEqual([draft.published, draft.custom_check_id, draft.publishable], [true, checkId, true])
  assert.deepEqual(await lastAudits(3), [
    'Published the draft "Hosts file is untouched" of a custom check.',
    'Added the check "Hosts file is untouched".',
    'Created the draft "Hosts file is untouched" of a custom check.',
  ])
})

test('the draft of the documentation lacks what the documentation says it lacks', async () => {
  const page = await readFile(new URL('../../../../docs/custom-checks.md', import.meta.url), 'utf8')
  const id = await create(JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''))
  assert.deepEqual((await faultsOf(publish(id))).errors, [
    { field: 'privacy_center_details_status', message: 'is missing: privacy_info is missing' },
  ])
  await edit(id, { privacy_info: 'Names and addresses in the hosts file.' })
  await publish(id)
})

test('publishing again without a change writes nothing', async () => {
  const id = await create()
  const checkId = await publish(id)
  const versions = await rowVersions(app.db)
  app.setNow('2026-11-20T11:00:00.000Z')
  assert.equal(await publish(id), checkId)
  assert.equal(await edit(id, hosts), false)
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('an edited query makes results stale and raises both revisions once it is published, not before', async () => {
  const device = await make.device(app.tenant.organizationId)
  const id = await create({ ...hosts, requires_primary_key: false })
  const checkId = await publish(id)
  await recompute(checkId)
  await make.result({ device, check: { id: checkId, type: 'custom' }, rows: 'PASS' })
  const query = `SELECT 'PASS' AS KOLIDE_CHECK_STATUS`
  assert.equal(await edit(id, { osquery_sql: query, options: {} }), true)
  await recompute(checkId)
  assert.deepEqual(await statuses(), [{ device_id: device.id, status: 'passing' }])
  assert.equal((await app.ask('GET', `/checks/${checkId}`)).body.osquery_sql_template, hosts.osquery_sql)
  app.setNow('2026-11-20T11:00:00.000Z')
  assert.equal(await publish(id), checkId)
  await recompute(checkId)
  assert.deepEqual(await statuses(), [{ device_id: device.id, status: 'stale' }])
  assert.equal((await app.ask('GET', `/checks/${checkId}`)).body.osquery_sql_template, query)
  const revisions = await app.db.selectFrom('check_configurations').select(['revision', 'query_revision']).execute()
  assert.deepEqual(revisions, [{ revision: '2', query_revision: '2' }])
  const [published, changed, edited] = await lastAudits(3)
  const change =
    /^(?:Changed|Edited) the (?:check|draft) "Hosts file is untouched"(?: of a custom check)?: (?:osquery_sql|sql_template) from "SELECT hostnames, .*" to "SELECT 'PASS' AS KOLIDE_CHECK_STATUS"; option_definitions from \{.*\} to \{\}\.$/
  assert.equal(published, 'Published the draft "Hosts file is untouched" of a custom check.')
  for (const description of [changed, edited]) {
    const fields = (description ?? '').replace(/^([^:]*: )(option_definitions .*); (sql_template .*)\.$/, '$1$3; $2.')
    assert.match(fields, change)
  }
})

test('an edited text leaves the results and the query as they are', async () => {
  const device = await make.device(app.tenant.organizationId)
  const id = await create({ ...hosts, requires_primary_key: false })
  const checkId = await publish(id)
  await recompute(checkId)
  await make.result({ device, check: { id: checkId, type: 'custom' }, rows: 'PASS' })
  await edit(id, { name: 'Hosts', issue_title: 'Redirected' })
  await publish(id)
  const progress = await app.db.selectFrom('check_recomputations').select('finished_at').execute()
  assert.ok(progress.every(({ finished_at }) => finished_at !== null))
  assert.deepEqual(await statuses(), [{ device_id: device.id, status: 'passing' }])
  const revisions = await app.db.selectFrom('check_configurations').select(['revision', 'query_revision']).execute()
  assert.deepEqual(revisions, [{ revision: '2', query_revision: '1' }])
  assert.equal(
    (await lastAudits(2))[1],
    'Changed the check "Hosts file is untouched": name from "Hosts file is untouched" to "Hosts"; ' +
      'issue_title from "The hosts file redirects a name" to "Redirected".',
  )
})

test('other platforms target other devices', async () => {
  const mac = await make.device(app.tenant.organizationId)
  const windows = await make.device(app.tenant.organizationId, { device_type: 'Windows' })
  const id = await create({ ...hosts, requires_primary_key: false })
  const checkId = await publish(id)
  await recompute(checkId)
  await make.issue({ device: mac, check: { id: checkId, type: 'custom' } })
  await edit(id, { platforms: ['windows'] })
  await publish(id)
  await recompute(checkId)
  assert.deepEqual(await statuses(), [{ device_id: windows.id, status: 'pending' }])
  const open = await app.db.selectFrom('issues').select('id').where('resolved_at', 'is', null).execute()
  assert.deepEqual(open, [])
})

test('values of options that the new definitions refuse are defaults again, and the audit log says so', async () => {
  const id = await create()
  const checkId = await publish(id)
  await transact(app.db, (tx) => updateConfiguration(tx, { checkId, request: { options: { shortest: 50 } } }, by()))
  const { shortest } = hosts.options
  await edit(id, { options: { shortest: { ...shortest, max: 60 } } })
  await publish(id)
  assert.equal((await app.ask('GET', `/checks/${checkId}/configurations`)).body.options, '{"shortest":50}')
  await edit(id, { options: { shortest: { ...shortest, max: 40 } } })
  await publish(id)
  assert.equal((await app.ask('GET', `/checks/${checkId}/configurations`)).body.options, '{"shortest":3}')
  assert.match((await lastAudits(2))[1] ?? '', /; the options "shortest" are unset\.$/)
})

test('an external draft becomes an external check, also one about people on whatever they have', async () => {
  const phone = await make.device(app.tenant.organizationId, { device_type: 'iOS', form_factor: 'phone' })
  const id = await create({
    ...hosts,
    check_type: 'external',
    target_type: 'people',
    platforms: [],
    requires_primary_key: false,
  })
  const checkId = await publish(id)
  await recompute(checkId)
  const { type, osquery_sql_template, kolide_provided } = (await app.ask('GET', `/checks/${checkId}`)).body
  assert.deepEqual([type, osquery_sql_template, kolide_provided], ['external', null, false])
  assert.deepEqual(await statuses(), [{ device_id: phone.id, status: 'pending' }])
  const report = { device_id: phone.id, check_data: { KOLIDE_CHECK_STATUS: 'FAIL' } }
  assert.equal((await app.ask('POST', `/checks/${checkId}/runs`, { body: report })).status, 200)
  assert.deepEqual(await statuses(), [{ device_id: phone.id, status: 'failing' }])
})

test('a draft that is not good in every section is refused with the reasons', async () => {
  const id = await create({ name: 'Hosts', osquery_sql: 'select 1' })
  const versions = await rowVersions(app.db)
  assert.deepEqual(await faultsOf(publish(id)), {
    code: 'invalid',
    message: 'The draft cannot be published as it is.',
    errors: [
      { field: 'osquery_sql_status', message: 'is bad: osquery_sql gives no column KOLIDE_CHECK_STATUS' },
      {
        field: 'notification_templates_status',
        message:
          'is missing: issue_title is missing; rationale_template is missing; fix_instructions_template is missing',
      },
      { field: 'details_status', message: 'is missing: description is missing; platforms is missing' },
      { field: 'privacy_center_details_status', message: 'is missing: privacy_info is missing' },
    ],
  })
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('publishing judges again, whatever was judged when the draft was written', async () => {
  const draft = await make.draft(app.tenant.organizationId, { osquery_sql: 'select 1' })
  const { errors } = await faultsOf(publish(draft.id))
  assert.deepEqual(errors, [
    { field: 'osquery_sql_status', message: 'is bad: osquery_sql gives no column KOLIDE_CHECK_STATUS' },
  ])
})

test('a slug that is taken and a published check with another slug or type are refused', async () => {
  await make.check(app.tenant.organizationId, { slug: 'hosts-file' })
  const id = await create()
  const taken = (await faultsOf(publish(id))).errors?.[0]?.message ?? ''
  assert.match(taken, /^is bad: check \d+ has the slug already$/)
  await edit(id, { slug: 'hosts-file-2' })
  await publish(id)
  await edit(id, { slug: 'other', check_type: 'external' })
  assert.deepEqual((await faultsOf(publish(id))).errors, [
    {
      field: 'details_status',
      message:
        'is bad: the check that is published keeps its slug hosts-file-2; the check that is published keeps its type',
    },
  ])
})

test('a draft made from a check begins as the check and changes it', async () => {
  const first = await create()
  const checkId = await publish(first)
  await app.ask('DELETE', `/custom_check_drafts/${first}`)
  const id = await create({ name: 'Hosts' }, checkId)
  const before = await draftOf(id)
  assert.deepEqual(
    [before.slug, before.published, before.custom_check_id, before.publishable, before.privacy_info],
    ['hosts-file', false, checkId, true, hosts.privacy_info],
  )
  assert.equal(before.template_data_examples, '[{"hostnames":"a"}]')
  assert.equal(await publish(id), checkId)
  assert.equal((await draftOf(id)).published, true)
  assert.equal((await app.ask('GET', `/checks/${checkId}`)).body.name, 'Hosts')
})

test('a draft begins as no check that comes with Muster, nor as one of someone else', async () => {
  const other = await app.addTenant()
  const provided = await make.check(app.tenant.organizationId)
  const foreign = await make.check(other.organizationId, { type: 'custom', is_provided: false })
  for (const id of [provided.id, foreign.id, '987654321']) {
    await assert.rejects(create({ name: 'Mine' }, id), { code: 'not_found' })
  }
})

test('a draft needs a name, gets a slug from it, and refuses what cannot be stored', async () => {
  assert.equal((await draftOf(await create({ name: 'Ünder 30 Days – old!' }))).slug, 'nder-30-days-old')
  const refused: [input: object, field: string, message: RegExp][] = [
    [{}, 'name', /^is required$/],
    [{ name: '' }, 'name', /^must not be empty$/],
    [{ name: 'x', nmae: 'y' }, 'nmae', /^is not known here$/],
    [{ name: 'x', slug: 7 }, 'slug', /must be a string/],
    [{ name: 'x', platforms: ['ios'] }, 'platforms/0', /darwin, windows, linux/],
    [{ name: 'x', osquery_sql: 'a\0b' }, 'osquery_sql', /NUL/],
    [{ name: 'x', issue_title: '\ud800' }, 'issue_title', /surrogate/],
    [{ name: 'x', template_data_examples: '[' }, 'template_data_examples', /^must be JSON, or JSON text$/],
    [{ name: 'x', interval_minutes: 4 }, 'interval_minutes', /^must be at least 5$/],
    [{ name: 'x', options: { 'a b': {} } }, 'options/a b', /^is not in the right form$/],
    [{ name: 'x', options: { a: { kind: 'sql' } } }, 'options/a/kind', /^must be one of integer, text, version/],
    [{ name: 'x', options: { a: { ...hosts.options.shortest, default: 100 } } }, 'options/a/default', /from 0 to 99/],
    [{ name: 'x', options: { a: { ...hosts.options.shortest, title: '\udfff' } } }, 'options/a', /surrogate/],
    [{ name: 'x', options: { a: { ...hosts.options.shortest, more: 1 } } }, 'options/a/more', /^is not known here$/],
  ]
  const versions = await rowVersions(app.db)
  for (const [input, field, message] of refused) {
    const { code, errors } = await faultsOf(create(input))
    assert.deepEqual([code, errors?.[0]?.field], ['invalid', field], JSON.stringify([input, errors]))
    assert.match(errors?.[0]?.message ?? '', message, JSON.stringify(input))
  }
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('nothing is created, edited or published without the feature Custom Checks', async () => {
  const id = await create()
  await transact(app.db, (tx) => setFeature(tx, { feature: 'custom_checks', isOn: false }, by()))
  for (const attempt of [() => create(), () => edit(id, { name: 'Other' }), () => publish(id)]) {
    await assert.rejects(attempt, { code: 'feature_unavailable' })
  }
})

test('a draft of another organization is neither edited nor published', async () => {
  const other = await app.addTenant()
  const draft = await make.draft(other.organizationId)
  for (const attempt of [() => edit(draft.id, { name: 'Mine' }), () => publish(draft.id)]) {
    await assert.rejects(attempt, { code: 'not_found' })
  }
})

testOnPostgres('publishing one draft several times at once makes one check', async () => {
  const id = await create()
  const ids = await Promise.all([publish(id), publish(id), publish(id)])
  assert.equal(new Set(ids).size, 1)
  const checks = await app.db.selectFrom('checks').select('id').execute()
  assert.deepEqual(checks, [{ id: ids[0] }])
})

testOnPostgres('of two drafts with one slug published at once, one is refused', async () => {
  const ids = [await create(), await create()]
  await app.db
    .updateTable('custom_check_drafts')
    .set({ slug: 'one' })
    .where('id', '=', ids[0] ?? '')
    .execute()
  const settled = await Promise.allSettled([publish(ids[0] ?? ''), edit(ids[1] ?? '', { slug: 'one' })])
  assert.ok(settled.every(({ status }) => status === 'fulfilled'))
  assert.match((await faultsOf(publish(ids[1] ?? ''))).errors?.[0]?.message ?? '', /has the slug already/)
})
