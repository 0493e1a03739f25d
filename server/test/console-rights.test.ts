import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type AdminPower, adminPowerNames, fullAccessPowers } from '@muster/contract/admin-powers.ts'
import type { ConsoleRights } from '../src/http/caller-scheme.ts'
import { testApp } from './support/app.ts'
import { addAdmin, openBrowser, password } from './support/console.ts'

/**
 * The rights of every route of the console, as its definition declares them, asked of the running app. Nothing here lists
 * routes: a new one is walked as soon as it is registered.
 */
const app = testApp()
const now = '2026-11-20T11:00:00.000Z'
const prefix = '/console/api'

type ConsoleRoute = { method: string; path: string; rights: ConsoleRights; body: unknown }

const routesOfTheConsole = (): ConsoleRoute[] =>
  app.app.routes
    .filter(({ url }) => url.startsWith(`${prefix}/`))
    .flatMap(({ method, url, config, schema }) =>
      [method].flat().map((one) => {
        const rights = config?.rights
        assert.ok(rights, `${one} ${url} declares no rights`)
        // What the documents show is acceptable.
        const [body] = (schema?.body as { examples?: readonly unknown[] } | undefined)?.examples ?? [
          one === 'GET' ? undefined : {},
        ]
        return { method: one, path: url.slice(prefix.length).replaceAll(/:\w+/g, '1'), rights, body }
      }),
    )
    .filter(({ method }) => method !== 'HEAD')

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
})

async function signedIn(wanted: Parameters<typeof addAdmin>[1]) {
  const { email } = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(email)).status, 200)
  return browser
}

const isPower = (requires: ConsoleRights['requires']): requires is AdminPower =>
  adminPowerNames.some((power) => power === requires)

test('without the power that a route declares it is refused, before its body is looked at', async () => {
  const routes = routesOfTheConsole()
  const powers = [...new Set(routes.map(({ rights }) => rights.requires).filter(isPower))]
  assert.ok(powers.length > 10, powers.join(', '))
  for (const power of powers) {
    const isForFullAccess = fullAccessPowers.some((full) => full === power)
    const restrictions = isForFullAccess ? [] : [power]
    const browser = await signedIn({ email: `${power}@acme.example`, access: 'limited', restrictions })
    for (const { method, path } of routes.filter(({ rights }) => rights.requires === power)) {
      const { status, body } = await browser.ask(method, path, method === 'GET' ? undefined : {})
      assert.deepEqual([method, path, status, body.error], [method, path, 403, 'permission_missing'])
    }
  }
})

test('who sees to billing only reads nothing and changes nothing but their own account', async () => {
  const browser = await signedIn({ email: 'billing@acme.example', access: 'billing_only' })
  const others = routesOfTheConsole().filter(({ rights: { requires } }) => requires === 'read' || isPower(requires))
  for (const { method, path } of others) {
    const { status, body } = await browser.ask(method, path, method === 'GET' ? undefined : {})
    assert.deepEqual([method, path, status, body.error], [method, path, 403, 'permission_missing'])
  }
})

test('what needs a fresh proof is refused without one', async () => {
  const browser = await signedIn({ email: 'full@acme.example' })
  app.setNow('2026-11-20T11:05:00.000Z')
  const routes = routesOfTheConsole()
  const always = routes.filter(({ rights }) => rights.needsFreshProof === true)
  assert.ok(always.length > 20, `${always.length} routes`)
  for (const { method, path, body: sent } of always) {
    const { status, body } = await browser.ask(method, path, sent)
    assert.deepEqual([method, path, status, body.error], [method, path, 403, 'step_up_needed'])
  }
  for (const { method, path, rights } of routes) {
    if (typeof rights.needsFreshProof !== 'object') continue
    const { toChange } = rights.needsFreshProof
    const { body } = await browser.ask(method, path, { [toChange]: 'https://elsewhere.example/' })
    assert.deepEqual([path, body.error], [path, 'step_up_needed'])
    assert.notEqual((await browser.ask(method, path, {})).body.error, 'step_up_needed')
  }
  await browser.ask('POST', '/session/step_up', { password })
  const [first] = always.filter(({ path }) => path.startsWith('/package_downloads'))
  assert.ok(first)
  assert.equal((await browser.ask(first.method, first.path)).status, 404)
})

test('what is refused anyway is refused before the proof is asked for', async () => {
  const browser = await signedIn({ email: 'full@acme.example' })
  app.setNow('2026-11-20T11:05:00.000Z')
  const permissions = { create_live_query: ' ' }
  const key = await browser.ask('POST', '/session/api_keys', { name: '', permissions })
  assert.deepEqual(
    [key.status, key.body.errors.map(({ field }: { field: string }) => field)],
    [422, ['permissions/create_live_query', 'name']],
  )
  const asked = { first_name: '', email: 'nobody', access: 'limited' }
  const invited = await browser.ask('POST', '/session/administrators', asked)
  assert.deepEqual(
    [invited.status, invited.body.errors.map(({ field }: { field: string }) => field)],
    [422, ['first_name', 'email']],
  )
  const reader = await signedIn({ email: 'reader@acme.example', access: 'limited', restrictions: adminPowerNames })
  assert.equal(
    (await reader.ask('POST', '/session/api_keys', { name: '', permissions })).body.error,
    'permission_missing',
  )
})

test('what needs a feature is refused while the organization does not have it', async () => {
  const browser = await signedIn({ email: 'full@acme.example' })
  const routes = routesOfTheConsole().filter(({ rights }) => rights.feature)
  assert.ok(routes.length > 20, `${routes.length} routes`)
  const disabled_features = [...new Set(routes.flatMap(({ rights }) => rights.feature ?? []))]
  await app.db.updateTable('organizations').set({ disabled_features }).where('id', '=', '1').execute()
  for (const { method, path } of routes) {
    const { status, body } = await browser.ask(method, path, method === 'GET' ? undefined : {})
    assert.deepEqual([method, path, status, body.error], [method, path, 401, 'feature_unavailable'])
  }
})
