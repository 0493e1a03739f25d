import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { recordAudit } from '../../src/signals/audit/record-audit.ts'
import { baseUrl, testApp } from '../support/app.ts'
import { makeIn, startOfTests } from '../support/make.ts'
import { extent } from '../support/soak.ts'

const harness = testApp()
const make = makeIn(harness.database)
const walks = Number(process.env['MUSTER_FUZZ_RUNS'] ?? extent(150, 1_000))

type Row = { id: string; name: string }

/** A list, and how another client adds a row to it and takes one out. */
type List = {
  path: string
  searched: string
  isDescending?: boolean
  add(name: string): Promise<string>
  /** Absent: the rows of the list are for ever. */
  remove?(id: string): Promise<unknown>
}

beforeEach(() => harness.reset())

/** mulberry32: the same walks at every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const db = () => harness.database.db

async function insert(
  table: 'people' | 'person_groups' | 'device_groups' | 'devices',
  values: object,
): Promise<string> {
  const row = { organization_id: harness.tenant.organizationId, created_at: startOfTests, ...values }
  const made = await db()
    .insertInto(table)
    // The columns of a table are known to those who name it.
    .values(row as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(made.id)
}

type Emptied =
  | 'people'
  | 'person_groups'
  | 'device_groups'
  | 'devices'
  | 'issues'
  | 'exemption_requests'
  | 'registration_requests'
  | 'auth_logs'
  | 'admin_users'
  | 'live_query_campaigns'

const removeFrom = (table: Emptied) => (id: string) =>
  db().deleteFrom(table).where('organization_id', '=', harness.tenant.organizationId).where('id', '=', id).execute()
const addDevice = (name: string) => insert('devices', { name, device_type: 'Mac', form_factor: 'computer' })

async function makeLists(): Promise<List[]> {
  const { organizationId } = harness.tenant
  const group = await make.deviceGroup(organizationId)
  const [device, other] = [await make.device(organizationId), await make.device(organizationId)]
  const check = await make.check(organizationId)
  const person = await make.person(organizationId, { deprovisioned_at: startOfTests })
  const addIssueTo = (deviceId: string) => async (title: string) => {
    const { rows } = await sql<{ id: string }>`
      insert into issues (organization_id, device_id, check_id, title, issue_key, issue_value, value, detected_at, last_rechecked_at)
      values (${organizationId}, ${deviceId}, ${check.id}, ${title}, 'name', ${title}, '{}', ${startOfTests}, ${startOfTests})
      returning id`.execute(db())
    return rows[0]?.id ?? ''
  }
  const addMember = async (name: string) => {
    const id = await addDevice(name)
    const member = { organization_id: organizationId, device_group_id: group.id, device_id: id }
    await db().insertInto('device_group_members').values(member).execute()
    return id
  }
  const addEntry = async (description: string) => {
    const entry = { action: 'records.exported', about: {}, description } as const
    await transact(db(), (tx) => recordAudit(tx, entry, systemChange(organizationId, startOfTests)))
    const { last_id } = await db().selectFrom('audit_heads').select('last_id').executeTakeFirstOrThrow()
    return last_id
  }
  const addPerson = (name: string) => insert('people', { name, email: `${name.replaceAll(' ', '-')}@acme.example` })
  return [
    { path: '/people', searched: 'name', add: addPerson, remove: removeFrom('people') },
    { path: '/devices', searched: 'name', add: addDevice, remove: removeFrom('devices') },
    {
      path: `/device_groups/${group.id}/devices`,
      searched: 'name',
      add: addMember,
      remove: removeFrom('devices'),
    },
    {
      path: '/person_groups',
      searched: 'name',
      add: (name) => insert('person_groups', { name }),
      remove: removeFrom('person_groups'),
    },
    {
      path: '/device_groups',
      searched: 'description',
      add: (description) => insert('device_groups', { name: 'Group', description }),
      remove: removeFrom('device_groups'),
    },
    { path: '/issues', searched: 'title', add: addIssueTo(other.id), remove: removeFrom('issues') },
    {
      path: '/exemption_requests',
      searched: 'requester_message',
      add: async (message) =>
        (await make.exemptionRequest({ device, person, issues: [] }, { requester_message: message })).id,
      remove: removeFrom('exemption_requests'),
    },
    {
      path: '/registration_requests',
      searched: 'requester_message',
      add: async (message) =>
        (await make.registrationRequest({ device, person }, { requester_message: message, status: 'denied' })).id,
      remove: removeFrom('registration_requests'),
    },
    {
      path: `/devices/${device.id}/open_issues`,
      searched: 'title',
      add: addIssueTo(device.id),
      remove: removeFrom('issues'),
    },
    {
      path: '/live_query_campaigns',
      searched: 'name',
      add: (name) => make.liveQuery(organizationId, { name, deviceIds: [device.id] }),
      remove: removeFrom('live_query_campaigns'),
    },
    { path: '/audit_logs', searched: 'description', isDescending: true, add: addEntry },
    {
      path: '/admin_users',
      searched: 'first_name',
      add: async (first_name) => (await make.adminUser(organizationId, { first_name })).id,
      remove: removeFrom('admin_users'),
    },
    {
      path: '/auth_logs',
      searched: 'person_name',
      isDescending: true,
      add: async (person_name) => (await make.authLog(organizationId, { person_name })).id,
      remove: removeFrom('auth_logs'),
    },
  ]
}

/** What is in a list, as this test knows it. Every second name has the word that is searched for. */
async function contentsOf(list: List, count: number, random: (below: number) => number) {
  const rows: Row[] = []
  let made = 0
  const add = async () => {
    made += 1
    const name = `row ${made} ${random(2) === 0 ? 'wanted' : 'other'} 100%_\\`
    rows.push({ id: await list.add(name), name })
  }
  const remove = async (row: Row) => {
    if (!list.remove) return
    await list.remove(row.id)
    rows.splice(rows.indexOf(row), 1)
  }
  while (rows.length < count) await add()
  return { rows, add, remove }
}

type Page = { data: { id: string }[]; pagination: { next: string; next_cursor: string; count: number } }

async function pageAt(address: string): Promise<Page> {
  const { status, body } = await harness.ask('GET', address)
  assert.equal(status, 200, `${address}: ${JSON.stringify(body)}`)
  return body
}

/** One walk from the first page to the last, with something changing between any two. */
async function walk(list: List, contents: Awaited<ReturnType<typeof contentsOf>>, random: (below: number) => number) {
  const isSearched = random(2) === 0
  const query = isSearched ? `${list.searched}~"Wanted 100%_\\\\"` : ''
  const isFound = ({ name }: Row) => !isSearched || name.includes('wanted')
  const perPage = 1 + random(random(3) === 0 ? 100 : 12)
  const atStart = new Set(contents.rows.filter(isFound).map(({ id }) => id))
  const known = new Set(contents.rows.map(({ id }) => id))
  const first = `${list.path}?per_page=${perPage}${isSearched ? `&query=${encodeURIComponent(query)}` : ''}`
  const seen: string[] = []
  for (let address = first; ; ) {
    const { data, pagination } = await pageAt(address)
    assert.ok(data.length <= perPage && pagination.count === data.length)
    seen.push(...data.map(({ id }) => id))
    if (pagination.next === '') {
      assert.equal(pagination.next_cursor, '')
      break
    }
    assert.equal(data.length, perPage, 'only the last page may be short')
    await disturb(contents, data, random)
    const isAlone = random(2) === 0
    address = isAlone
      ? `${list.path}?cursor=${pagination.next_cursor}&per_page=${perPage}`
      : pagination.next.replace(baseUrl, '')
  }
  const place = `${list.path}, ${perPage} to a page, ${isSearched ? 'searched' : 'whole'}`
  const numbers = seen.map(Number)
  const inOrder = numbers.toSorted((one, other) => (list.isDescending ? other - one : one - other))
  assert.deepEqual(numbers, inOrder, `${place}: in order`)
  assert.equal(new Set(seen).size, seen.length, `${place}: nothing twice`)
  const stayed = contents.rows.filter(({ id }) => atStart.has(id)).map(({ id }) => id)
  const missing = stayed.filter((id) => !seen.includes(id))
  assert.deepEqual(missing, [], `${place}: nothing that stayed is skipped`)
  const alien = seen.filter((id) => known.has(id) && !atStart.has(id))
  if (isSearched) assert.deepEqual(alien, [], `${place}: nothing that is not searched for`)
}

/** Other clients add rows and remove some, among them the one that the next page begins after. */
async function disturb(
  contents: Awaited<ReturnType<typeof contentsOf>>,
  page: { id: string }[],
  random: (below: number) => number,
): Promise<void> {
  const { rows, add, remove } = contents
  const last = rows.find(({ id }) => id === page.at(-1)?.id)
  if (last && random(5) === 0) await remove(last)
  const any = rows[random(rows.length)]
  if (any && rows.length > 20 && random(2) === 0) await remove(any)
  if (rows.length < 60 && random(2) === 0) await add()
}

test(`${walks} walks through changing lists skip nothing that stays and repeat nothing`, async () => {
  const random = seeded(20_261_121)
  const lists = await makeLists()
  const contents = []
  for (const list of lists) contents.push(await contentsOf(list, 30, random))
  for (let walked = 0; walked < walks; walked += 1) {
    const place = random(lists.length)
    const [list, rows] = [lists[place], contents[place]]
    if (list && rows) await walk(list, rows, random)
  }
})

test('a last page that is exactly full has no next', async () => {
  const people = (await makeLists())[0]
  if (!people) throw new Error('There are lists')
  await contentsOf(people, 12, seeded(1))
  for (const perPage of [1, 2, 3, 4, 6, 12]) {
    let address = `/people?per_page=${perPage}`
    for (let page = 1; page < 12 / perPage; page += 1) {
      const { pagination } = await pageAt(address)
      assert.notEqual(pagination.next, '')
      address = pagination.next.replace(baseUrl, '')
    }
    const { data, pagination } = await pageAt(address)
    assert.equal(data.length, perPage)
    assert.deepEqual([pagination.next, pagination.next_cursor], ['', ''])
  }
})

test('a walk continues when the row that it stands at, and all before and after, are gone', async () => {
  const people = (await makeLists())[0]
  if (!people) throw new Error('There are lists')
  const { rows, remove } = await contentsOf(people, 9, seeded(2))
  const { data, pagination } = await pageAt('/people?per_page=3')
  const left = rows.slice(5)
  for (const row of rows.slice(0, 5)) await remove(row)
  assert.equal(data.length, 3)
  const rest = await pageAt(pagination.next.replace(baseUrl, ''))
  assert.deepEqual(
    rest.data.map(({ id }) => id),
    left.slice(0, 3).map(({ id }) => id),
  )
  for (const row of left) await remove(row)
  const end = await pageAt(rest.pagination.next.replace(baseUrl, ''))
  assert.deepEqual(end.data, [])
  assert.deepEqual([end.pagination.next, end.pagination.next_cursor], ['', ''])
})

test('a walk at the longest allowed query reaches its end, by address and by cursor', async () => {
  const people = (await makeLists())[0]
  if (!people) throw new Error('There are lists')
  const { rows } = await contentsOf(people, 20, seeded(3))
  // Of 50 clauses the last finds everything; three bytes, and nine characters of an address, for each sign.
  const nothing = (length: number) => `name~"${'字'.repeat(length)}" OR `
  const begun = nothing(7).repeat(48) + nothing(0).slice(0, -5)
  const end = '" OR name~"row"'
  const filling = 2_048 - Buffer.byteLength(begun + end)
  const longest = begun + '字'.repeat(Math.floor(filling / 3)) + 'x'.repeat(filling % 3) + end
  assert.equal(Buffer.byteLength(longest), 2_048)
  const first = `/people?per_page=6&query=${encodeURIComponent(longest)}`
  const byAddress: string[] = []
  const byCursor: string[] = []
  for (let [address, alone] = [first, first]; address !== ''; ) {
    const [one, other] = [await pageAt(address), await pageAt(alone)]
    byAddress.push(...one.data.map(({ id }) => id))
    byCursor.push(...other.data.map(({ id }) => id))
    address = one.pagination.next.replace(baseUrl, '')
    alone = `/people?per_page=6&cursor=${other.pagination.next_cursor}`
  }
  const expected = rows.map(({ id }) => id)
  assert.deepEqual([byAddress, byCursor], [expected, expected])
  const tooLong = await harness.ask('GET', `/people?query=${encodeURIComponent(longest.replace('row', 'rows'))}`)
  assert.equal(tooLong.status, 422)
})
