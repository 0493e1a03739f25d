import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { openLivePage } from '../../../test/support/live-page.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { buildApp } from '../../app.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { createLogger } from '../../base/logging.ts'
import { changeSettings } from '../../inventory/organizations/change-settings.ts'
import { announce } from '../../signals/events/announce.ts'

const app = testApp()
let elsewhere: FastifyInstance | undefined
after(() => elsewhere?.close())

/** Of another process on the same database: only that tells it what happens here. */
function otherProcess(): FastifyInstance {
  const { config, secrets, database, streams } = app
  const common = { connection: database.connection, secrets, clock: app.now, log: createLogger('silent') }
  elsewhere ??= buildApp({ ...common, config, streams })
  return elsewhere
}

type Who = { readonly id: string; readonly organizationId: string }
type Boss = ReturnType<typeof openBrowser>

const age =
  (column: 'created_at' | 'last_seen_at', hours: number) =>
  async (_boss: Boss, { id }: Who) => {
    const hour = sql<string>`${sql.ref(column)} - make_interval(hours => ${hours})`
    await app.db
      .updateTable('admin_sessions')
      .set({ [column]: hour })
      .where('admin_user_id', '=', id)
      .execute()
  }

const change =
  (rights: object) =>
  async (boss: Boss, { id }: Who) => {
    assert.equal((await boss.ask('PATCH', `/session/administrators/${id}`, rights)).status, 204)
  }

async function resetPassword(boss: Boss, { id }: Who) {
  const { body } = await boss.ask('POST', `/session/administrators/${id}/reset`)
  const token = new URL(body.url).hash.slice(1)
  const answer = await openBrowser(app).ask('POST', '/session/link/accept', { token, password: 'another long walk' })
  assert.equal(answer.status, 200)
}

const requireFactor = async (_boss: Boss, { organizationId }: Who) => {
  const wanted = { is_second_factor_required: true }
  await transact(app.db, (tx) => changeSettings(tx, { wanted }, systemChange(organizationId, app.now())))
}

const deprovision = async (boss: Boss, { id, organizationId }: Who) => {
  const { email } = await app.db
    .selectFrom('admin_users')
    .select('email')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const person = await makeIn(app).person(organizationId, { email })
  assert.equal((await boss.ask('DELETE', `/people/${person.id}`)).status, 200)
}

/** What is done to someone, what their open page hears last, and what it is answered when it comes again. */
const ways: Readonly<Record<string, [(boss: Boss, who: Who) => Promise<void>, 'ended' | 'changed', number]>> = {
  'their sessions are revoked': [
    async (boss, { id }) =>
      assert.equal((await boss.ask('DELETE', `/session/administrators/${id}/sessions`)).status, 204),
    'ended',
    401,
  ],
  'they are removed': [
    async (boss, { id }) => assert.equal((await boss.ask('DELETE', `/session/administrators/${id}`)).status, 204),
    'ended',
    401,
  ],
  'they are deprovisioned as a person': [deprovision, 'ended', 401],
  'their password is reset': [resetPassword, 'ended', 401],
  'their session reaches its longest': [age('created_at', 12), 'ended', 401],
  'their session is idle': [age('last_seen_at', 1), 'ended', 401],
  'they may see to billing only': [change({ access: 'billing_only' }), 'changed', 403],
  'they may do less': [change({ access: 'limited', restrictions: ['update_devices'] }), 'changed', 200],
  'a second factor is required that they have not': [requireFactor, 'changed', 403],
}

for (const [name, [happens, word, status]] of Object.entries(ways)) {
  test(`an open page of another process hears no more when ${name}`, { timeout: 120_000 }, async () => {
    await app.reset()
    const { organizationId } = app.tenant
    const boss = openBrowser(app)
    assert.equal((await boss.signIn((await addAdmin(app)).email, password)).status, 200)
    const who = await addAdmin(app, { email: 'tom@acme.example' })
    const theirs = openBrowser(app)
    assert.equal((await theirs.signIn(who.email)).status, 200)
    const page = await openLivePage(otherProcess(), theirs.cookie ?? '')
    assert.equal(page.answer.status, 200)
    const heard: string[] = []
    const ended = (async () => {
      for await (const { event } of page.told) heard.push(event)
    })()
    // Once it has heard of something, it hears of what follows.
    const device = await makeIn(app).device(organizationId)
    const made = {
      organizationId,
      type: 'devices.created',
      deviceId: device.id,
      deviceName: 'new',
      cause: 'c',
    } as const
    await until(120_000, async () => {
      await transact(app.db, (tx) => announce(tx, [{ ...made, at: app.now() }]))
      return heard.length > 0
    })
    await happens(boss, { id: who.id, organizationId })
    await ended
    assert.equal(heard.at(-1) ?? 'changed', word)
    const again = await openLivePage(otherProcess(), theirs.cookie ?? '')
    again.leave()
    assert.equal(again.answer.status, status)
  })
}
