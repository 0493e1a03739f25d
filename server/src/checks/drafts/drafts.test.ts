import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { createDraft } from './create-draft.ts'
import { editDraft } from './edit-draft.ts'
import { readJudgement } from './judge-draft.ts'
import { findDraft, findJudgement } from './queries.ts'

const app = testApp()
const make = makeIn(app)
const missing = { error: 'not_found', message: 'There is no such record.' }

beforeEach(async () => {
  await app.reset()
  app.setNow(startOfTests)
})

type Draft = Awaited<ReturnType<typeof make.draft>>

const asMade = (draft: Draft) => ({
  id: draft.id,
  name: draft.name,
  slug: draft.slug,
  description: 'A draft of the tests.',
  issue_title: draft.issue_title,
  osquery_sql: `select 'PASS' as KOLIDE_CHECK_STATUS`,
  platforms: ['darwin'],
  rationale_template: 'Because.',
  fix_instructions_template: 'Fix it.',
  privacy_info: 'Nothing about people.',
  check_type: 'osquery',
  target_type: 'devices',
  requires_primary_key: false,
  primary_key_column: '',
  published: false,
  custom_check_id: '',
  osquery_sql_status: 'good',
  notification_templates_status: 'good',
  details_status: 'good',
  privacy_center_details_status: 'good',
  publishable: true,
  template_data_examples: '[]',
  privacy_center_example_data: '[]',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
})

const search = async (query: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', `/custom_check_drafts?query=${encodeURIComponent(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

test('listCustomCheckDrafts and getCustomCheckDraft answer drafts', async () => {
  const { organizationId } = app.tenant
  const one = await make.draft(organizationId)
  const two = await make.draft(organizationId)
  const pagination = { next: '', current_cursor: '', next_cursor: '', count: 2 }
  const list = await app.ask('GET', '/custom_check_drafts', { key: app.tenant.readOnlyKey })
  assert.deepEqual([list.status, list.body], [200, { data: [asMade(one), asMade(two)], pagination }])
  const record = await app.ask('GET', `/custom_check_drafts/${one.id}`, { key: app.tenant.readOnlyKey })
  assert.deepEqual([record.status, record.body], [200, asMade(one)])
})

test('a published draft names its check, and one made from a check is not published', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'custom', is_provided: false, slug: 'own' })
  const of = { slug: 'own', custom_check_id: check.id }
  const published = await make.draft(organizationId, { ...of, published_at: startOfTests })
  const next = await make.draft(organizationId, of)
  const states = (await app.ask('GET', '/custom_check_drafts')).body.data
  assert.deepEqual(states, [
    { ...asMade(published), published: true, custom_check_id: check.id },
    { ...asMade(next), published: false, custom_check_id: check.id },
  ])
})

test('details are bad while another check, an earlier draft or the catalogue has the slug', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  await make.check(organizationId, { slug: 'taken' })
  await make.check(other.organizationId, { slug: 'theirs' })
  await make.draft(other.organizationId, { slug: 'theirs' })
  const slugs = ['taken', 'theirs', 'twice', 'twice', 'windows-bitlocker']
  const ids: string[] = []
  for (const slug of slugs) ids.push((await make.draft(organizationId, { slug })).id)
  const { data } = (await app.ask('GET', '/custom_check_drafts')).body
  assert.deepEqual(
    data.map(({ slug, details_status, publishable }: Record<string, unknown>) => [slug, details_status, publishable]),
    [
      ['taken', 'bad', false],
      ['theirs', 'good', true],
      ['twice', 'good', true],
      ['twice', 'bad', false],
      ['windows-bitlocker', 'bad', false],
    ],
  )
  await app.ask('DELETE', `/custom_check_drafts/${ids[2]}`)
  const second = await app.ask('GET', `/custom_check_drafts/${ids[3]}`)
  assert.deepEqual([second.body.details_status, second.body.publishable], ['good', true])
})

test('drafts are searched by name, slug, creation and identifier', async () => {
  const { organizationId } = app.tenant
  const { id: one } = await make.draft(organizationId, { name: 'Hosts file', slug: 'hosts' })
  const { id: two } = await make.draft(organizationId, {
    name: '100% full_disk',
    slug: 'disk',
    created_at: '2026-11-21T00:00:00.001Z',
  })
  const found: [query: string, ids: string[]][] = [
    ['name:"Hosts file"', [one]],
    ['name~HOSTS', [one]],
    ['name~"0% full_"', [two]],
    ['name~%', [two]],
    ['slug:disk', [two]],
    ['slug~s', [one, two]],
    ['created_at:2026-11-21T00:00:00.001Z', [two]],
    ['created_at<2026-11-21', [one]],
    ['created_at>2026-11-20T10:00:00Z', [two]],
    [`id:${one}`, [one]],
    [`id:${one} OR id:"${two}"`, [one, two]],
    [`id~${two}`, [two]],
    ['id:abc', []],
  ]
  for (const [query, ids] of found) assert.deepEqual(await search(query), ids, query)
  const { status, body } = await app.ask('GET', '/custom_check_drafts?query=publishable:true')
  assert.deepEqual([status, body.error], [422, 'search_invalid'])
})

test('pages of drafts follow one another', async () => {
  const { organizationId } = app.tenant
  const made: string[] = []
  for (let index = 0; index < 3; index += 1) made.push((await make.draft(organizationId)).id)
  const first = await app.ask('GET', '/custom_check_drafts?per_page=2')
  const second = await app.ask('GET', `/custom_check_drafts?per_page=2&cursor=${first.body.pagination.next_cursor}`)
  const ids = [first, second].map(({ body }) => body.data.map((row: { id: string }) => row.id))
  assert.deepEqual(ids, [made.slice(0, 2), made.slice(2)])
  assert.equal(second.body.pagination.next, '')
})

test('deleteCustomCheckDraft answers the draft, once, and leaves its check alone', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { type: 'custom', is_provided: false, slug: 'own' })
  const draft = await make.draft(organizationId, {
    slug: 'own',
    custom_check_id: check.id,
    published_at: startOfTests,
  })
  const path = `/custom_check_drafts/${draft.id}`
  const { status, body } = await app.ask('DELETE', path)
  assert.deepEqual([status, body], [200, { ...asMade(draft), published: true, custom_check_id: check.id }])
  for (const method of ['GET', 'DELETE']) {
    const again = await app.ask(method, path)
    assert.deepEqual([again.status, again.body], [404, missing])
  }
  assert.equal((await app.ask('GET', `/checks/${check.id}`)).status, 200)
  const { data } = (await app.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, `Deleted the draft "${draft.name}" of a custom check.`)
})

test('deleting needs the permission Manage Custom Check Drafts', async () => {
  const draft = await make.draft(app.tenant.organizationId)
  const message = 'This key lacks the permission Manage Custom Check Drafts.'
  const refused = await app.ask('DELETE', `/custom_check_drafts/${draft.id}`, { key: app.tenant.readOnlyKey })
  assert.deepEqual([refused.status, refused.body], [403, { error: 'permission_missing', message }])
  const key = await app.addKey(['manage_custom_check_drafts'])
  assert.equal((await app.ask('DELETE', `/custom_check_drafts/${draft.id}`, { key })).status, 200)
})

test('there are no drafts in version 2023-05-26, as there is no path that is unknown', async () => {
  const draft = await make.draft(app.tenant.organizationId)
  const headers = { 'x-service-api-version': '2023-05-26' }
  const unknown = await app.ask('GET', '/unheard_of', { headers })
  assert.equal(unknown.status, 404)
  for (const [method, path] of [
    ['GET', '/custom_check_drafts'],
    ['GET', `/custom_check_drafts/${draft.id}`],
    ['DELETE', `/custom_check_drafts/${draft.id}`],
  ] as const) {
    const { status, body } = await app.ask(method, path, { headers })
    assert.deepEqual([status, body], [404, unknown.body], `${method} ${path}`)
  }
})

test('without the feature Custom Checks every call is a 401', async () => {
  const { organizationId } = app.tenant
  const draft = await make.draft(organizationId)
  const now = app.now()
  await transact(app.db, (tx) =>
    setFeature(tx, { feature: 'custom_checks', isOn: false }, systemChange(organizationId, now)),
  )
  const message = 'The feature Custom Checks is not available to the organization.'
  for (const [method, path] of [
    ['GET', '/custom_check_drafts'],
    ['GET', `/custom_check_drafts/${draft.id}`],
    ['DELETE', `/custom_check_drafts/${draft.id}`],
  ] as const) {
    const { status, body } = await app.ask(method, path)
    assert.deepEqual([status, body], [401, { error: 'feature_unavailable', message }], `${method} ${path}`)
  }
})

test('a draft is judged when it is saved: readers see what was stored', async () => {
  const { organizationId } = app.tenant
  const draft = { name: 'Loop', rationale_template: '{% for i in (1..900000) %}{% endfor %}' }
  const by = systemChange(organizationId, startOfTests)
  const draftId = await transact(app.db, (tx) => createDraft(tx, { input: draft }, by))
  const judgement = async () => readJudgement(app.db, orNotFound(await findDraft(app.db, organizationId, draftId)))
  const { reasons } = (await judgement()).sections.notification_templates
  assert.ok(
    reasons.includes('rationale_template: Line 1: the template makes lists or texts that are too large (without rows)'),
  )

  const stored = await app.db.selectFrom('custom_check_drafts').select('judgement').executeTakeFirstOrThrow()
  const marked = { ...JSON.parse(stored.judgement ?? ''), rationale: 'As it was stored.' }
  await app.db
    .updateTable('custom_check_drafts')
    .set({ judgement: JSON.stringify(marked) })
    .execute()
  assert.equal((await judgement()).rationale, 'As it was stored.')

  await transact(app.db, (tx) => editDraft(tx, { draftId, input: { rationale_template: 'Because.' } }, by))
  const edited = await judgement()
  assert.deepEqual([edited.rationale, edited.sections.notification_templates.reasons.length], ['Because.', 2])
})

test('a draft from before judgements were stored is judged when it is read', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.draft(organizationId)
  assert.equal(await findJudgement(app.db, organizationId, id), null)
  const row = orNotFound(await findDraft(app.db, organizationId, id))
  const { rationale, sections } = await readJudgement(app.db, row)
  assert.deepEqual([rationale, sections.details], ['Because.', { status: 'good', reasons: [] }])
})
