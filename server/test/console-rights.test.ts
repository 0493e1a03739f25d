import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type AdminPower, adminPowerNames, fullAccessPowers } from '@muster/contract/admin-powers.ts'
import type { ConsoleRights } from '../src/http/kit.ts'
import { testApp } from './support/app.ts'
import { addAdmin, openBrowser, password } from './support/console.ts'

// One engine: it is about what routes declare.

/**
 * The rights of every route of the console, as its definition declares them, asked of the running app. Nothing here lists
 * routes: a new one is walked as soon as it is registered.
 */
const app = testApp()
const now = '2026-11-20T11:00:00.000Z'
const prefix = '/console/api'

type ConsoleRoute = { method: string; path: string; rights: ConsoleRights }

const routesOfTheConsole = (): ConsoleRoute[] =>
  app.app.routes
    .filter(({ url }) => url.startsWith(`${prefix}/`))
    .flatMap(({ method, url, config }) =>
      [method].flat().map((one) => {
        const rights = config?.rights
        assert.ok(rights, `${one} ${url} declares no rights`)
        return { method: one, path: url.slice(prefix.length).replaceAll(/:\w+/g, '1'), rights }
      }),
    )
    .filter(({ method }) => method !== 'HEAD')

/** What stands under an address needs this power, whatever a definition says: the first that fits. */
const powersByAddress: readonly (readonly [pattern: RegExp, power: AdminPower])[] = [
  [/^\/session\/api_keys\/\d+\/reveal$/, 'reveal_keys'],
  [/^\/session\/api_keys/, 'manage_keys'],
  [/^\/session\/administrators/, 'manage_administrators'],
  [/^\/views\/administrators/, 'manage_administrators'],
  [/^\/session\/(organization|settings|enrollment_secrets|packages|scim_tokens)/, 'manage_settings'],
  [/^\/package_downloads/, 'manage_settings'],
  [/^\/webhook_(endpoints|deliveries)/, 'manage_webhooks'],
]
const ownAccount =
  /^\/session(\/(sign_out|preferences|step_up|password|account|sessions\/.*|totp.*|recovery_codes|passkeys?.*))?$/
/** Changes that concern nobody but whoever asks, or nothing that is stored. */
const changesForReaders = /^\/session\/saved_views|^\/views\/.*(preview|judgement|verify)/

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

test('every route of the console declares what fits its address', () => {
  const routes = routesOfTheConsole()
  assert.ok(routes.length > 150, `${routes.length} routes`)
  const faults = routes.flatMap(({ method, path, rights: { requires } }) => {
    const [, power] = powersByAddress.find(([pattern]) => pattern.test(path)) ?? []
    if (power !== undefined && requires !== power) return [`${method} ${path} must need ${power}, not ${requires}`]
    if (requires === 'own_account' && !ownAccount.test(path))
      return [`${method} ${path} is not about one's own account`]
    if (requires === 'nothing' && !/^\/session\/(options|sign_in|link|oidc|passkey)/.test(path)) {
      return [`${method} ${path} lets in whoever has not signed in`]
    }
    if (method !== 'GET' && requires === 'read' && !changesForReaders.test(path)) {
      return [`${method} ${path} changes something without a permission`]
    }
    return []
  })
  assert.deepEqual(faults, [])
})

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

test('what needs a fresh proof is refused without one, before its body is looked at', async () => {
  const browser = await signedIn({ email: 'full@acme.example' })
  app.setNow('2026-11-20T11:05:00.000Z')
  const routes = routesOfTheConsole()
  const always = routes.filter(({ rights }) => rights.needsFreshProof === true)
  assert.ok(always.length > 20, `${always.length} routes`)
  for (const { method, path } of always) {
    const { status, body } = await browser.ask(method, path, method === 'GET' ? undefined : {})
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
