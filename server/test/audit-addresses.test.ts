import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { addressOf } from './contract/addresses.ts'
import { populate, type World } from './contract/populate.ts'
import { writes } from './contract/write-table.ts'
import { testApp } from './support/app.ts'
import { addAdmin, type Browser, openBrowser, password } from './support/console.ts'

/** Where every request of these tests comes from; nothing else is at that address. */
const address = '127.0.0.1'
const app = testApp()
const order = ['POST', 'PATCH', 'PUT', 'DELETE']

beforeEach(() => app.reset())

const entriesAfter = (id: string) =>
  app.db
    .selectFrom('audit_logs')
    .select(['id', 'description', 'ip_address'])
    .where('id', '>', id)
    .orderBy('id')
    .execute()

async function lastEntry(): Promise<string> {
  const { id } = await app.db
    .selectFrom('audit_logs')
    .select((of) => of.fn.max('id').as('id'))
    .executeTakeFirstOrThrow()
  return id ?? '0'
}

/** Does each of these one after the other; answers how many wrote entries, all of which must have the address. */
async function walk(steps: readonly (readonly [name: string, run: () => Promise<unknown>])[]): Promise<number> {
  let writing = 0
  for (const [name, run] of steps) {
    const before = await lastEntry()
    await run()
    const entries = await entriesAfter(before)
    if (entries.length > 0) writing += 1
    for (const { description, ip_address } of entries) {
      assert.equal(ip_address, address, `${name}: ${description}`)
    }
  }
  return writing
}

/** Every change that the API has, from its definitions; a new one fails until the table of writes says how it is asked. */
function changesOf(world: World) {
  return app.app.kit.operations
    .filter(({ method }) => method !== 'GET')
    .toSorted((one, other) => order.indexOf(one.method) - order.indexOf(other.method))
    .map((operation) => {
      const { operationId, method, status } = operation
      const write = writes[operationId.replace(/WithPut$/, '')] ?? assert.fail(`say how ${operationId} is asked`)
      const path = addressOf(operation, world, method === 'PUT' ? write.place + 1 : write.place)
      return { operationId, method, path, status, body: write.body?.(world) }
    })
}

test('every change that a key makes is written down with the address of its request', async () => {
  const changes = changesOf(await populate(app, app.tenant.organizationId))
  const writing = await walk(
    changes.map(({ operationId, method, path, status, body }) => [
      operationId,
      async () => {
        const answer = await app.ask(method, path, { body })
        assert.equal(answer.status, status, `${operationId}: ${JSON.stringify(answer.body)}`)
      },
    ]),
  )
  // The rest queues work or repeats what is so already.
  assert.ok(writing > changes.length / 2, `${writing} of ${changes.length}`)
})

test('every change of the API that an administrator makes is written down with the address of the request', async () => {
  const changes = changesOf(await populate(app, app.tenant.organizationId))
  const browser = openBrowser(app)
  await browser.signIn((await addAdmin(app)).email)
  const routes = app.app.routes.map(({ url }) => url)
  const inConsole = changes.filter(({ operationId }) => {
    const operation = app.app.kit.operations.find((one) => one.operationId === operationId)
    return routes.includes(`/console/api${operation?.path}`)
  })
  const writing = await walk(
    inConsole.map(({ operationId, method, path, body }) => [operationId, () => browser.ask(method, path, body)]),
  )
  assert.ok(writing > inConsole.length / 2, `${writing} of ${inConsole.length}`)
})

type Step = (browser: Browser, made: Record<string, string>) => Promise<unknown>
const id = (made: Record<string, string>, name: string): string => made[name] ?? assert.fail(`nothing made ${name}`)

/** How each change that only the console has is asked, by its route; in this order, as one makes what the next changes. */
const sessionChanges: Readonly<Record<string, Step>> = {
  'POST /session/step_up': (browser) => browser.ask('POST', '/session/step_up', { password }),
  'PATCH /session/preferences': (browser) => browser.ask('PATCH', '/session/preferences', { single_keys: false }),
  'PATCH /session/organization': (browser) => browser.ask('PATCH', '/session/organization', { name: 'Acme Two' }),
  'PATCH /session/settings': (browser) => browser.ask('PATCH', '/session/settings', { is_first_device_trusted: false }),
  'POST /session/api_keys': async (browser, made) => {
    made['key'] = (await browser.ask('POST', '/session/api_keys', { name: 'K', permissions: {} })).body.id
  },
  'POST /session/api_keys/:id/reveal': (browser, made) =>
    browser.ask('POST', `/session/api_keys/${id(made, 'key')}/reveal`),
  'POST /session/api_keys/:id/permissions': (browser, made) =>
    browser.ask('POST', `/session/api_keys/${id(made, 'key')}/permissions`, {
      ...{ change: 'grant', permissions: ['remove_devices'], rationale: 'x' },
    }),
  'DELETE /session/api_keys/:id': (browser, made) => browser.ask('DELETE', `/session/api_keys/${id(made, 'key')}`),
  'POST /session/administrators': async (browser, made) => {
    const tom = { email: 'tom@acme.example', first_name: 'Tom', access: 'limited' }
    made['admin'] = (await browser.ask('POST', '/session/administrators', tom)).body.administrator_id
  },
  'POST /session/administrators/:id/invite': (browser, made) =>
    browser.ask('POST', `/session/administrators/${id(made, 'admin')}/invite`),
  'POST /session/administrators/:id/reset': (browser, made) =>
    browser.ask('POST', `/session/administrators/${id(made, 'admin')}/reset`),
  'PATCH /session/administrators/:id': (browser, made) =>
    browser.ask('PATCH', `/session/administrators/${id(made, 'admin')}`, { access: 'billing_only' }),
  'DELETE /session/administrators/:id': (browser, made) =>
    browser.ask('DELETE', `/session/administrators/${id(made, 'admin')}`),
  'POST /session/enrollment_secrets': async (browser, made) => {
    made['secret'] = (await browser.ask('POST', '/session/enrollment_secrets', { name: 'S' })).body.id
  },
  'POST /session/enrollment_secrets/:id/rotate': async (browser, made) => {
    made['secret'] = (await browser.ask('POST', `/session/enrollment_secrets/${id(made, 'secret')}/rotate`)).body.id
  },
  'DELETE /session/enrollment_secrets/:id': (browser, made) =>
    browser.ask('DELETE', `/session/enrollment_secrets/${id(made, 'secret')}`),
  'POST /session/scim_tokens': async (browser, made) => {
    made['token'] = (await browser.ask('POST', '/session/scim_tokens', { name: 'T' })).body.id
  },
  'POST /session/scim_tokens/:id/rotate': async (browser, made) => {
    made['token'] = (await browser.ask('POST', `/session/scim_tokens/${id(made, 'token')}/rotate`)).body.id
  },
  'DELETE /session/scim_tokens/:id': (browser, made) =>
    browser.ask('DELETE', `/session/scim_tokens/${id(made, 'token')}`),
  'POST /session/totp': (browser) => browser.ask('POST', '/session/totp'),
  'POST /session/sign_out': (browser) => browser.ask('POST', '/session/sign_out'),
}

test('signing in, and what only the console changes, is written down with the address of the request', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  const made: Record<string, string> = {}
  const known = new Set(app.app.routes.flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url}`)))
  for (const name of Object.keys(sessionChanges)) {
    assert.ok(known.has(name.replace(' ', ' /console/api')), `${name} is no route`)
  }
  const steps = Object.entries(sessionChanges).map(([name, step]) => [name, () => step(browser, made)] as const)
  const writing = await walk([['signing in', () => browser.signIn(email)], ...steps])
  assert.ok(writing > steps.length - 4, `${writing} of ${steps.length}`)
})
