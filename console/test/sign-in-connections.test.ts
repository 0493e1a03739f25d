import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startHostileProvider } from '../../server/test/support/hostile-provider.ts'
import { askAsPage, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { assertFitsPhone, violations } from './look.ts'
import { at, opened, page, visit, withConsole } from './signed-in.ts'

const provider = await startHostileProvider()
after(() => provider.stop())
withConsole(12, { settings: async () => ({ MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' }) })

const es256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
const keySet = (...keys: object[]) => JSON.stringify({ keys })

const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })

async function look(name: string): Promise<void> {
  await page.locator('[role="menu"]').waitFor({ state: 'detached' })
  assert.deepEqual(await violations(page), [], name)
  await keepPicture(page, `/sign-in-${name}`)
}

const readConnection = async (id: string) => (await askAsPage(page, 'GET', `/views/sign_in_connections/${id}`)).body

let id = ''
/** An application. */
let portal = ''

test('a connection is made with what to select and to copy at the other side, and its secret is shown once', {
  skip,
}, async () => {
  await visit('/connections')
  await page.getByText('No connections yet.').waitFor()
  await look('empty')
  await page.getByRole('link', { name: 'New connection' }).click()
  await page.getByRole('heading', { level: 1, name: 'New connection' }).waitFor()
  await page.getByText('You state that this caller has signed the person in before it asks.').waitFor()
  await page.getByRole('radio', { name: /^Okta/ }).check()
  await page.getByText('Select “Enable signed requests” in Okta').waitFor()
  await page.getByRole('radio', { name: /^An application sends people to Muster first/ }).check()
  assert.equal(await page.getByRole('radio', { name: /^Okta/ }).count(), 0)
  await page.getByLabel('Public keys that sign its requests (optional)').waitFor()
  await page.getByRole('radio', { name: /^Our identity provider signs people in/ }).check()
  assert.equal(await page.getByLabel('Upstream').count(), 0)
  await page.getByLabel('Name', { exact: true }).fill('Payroll')
  await page.getByLabel('Redirect addresses').fill('http://payroll.example.com/callback')
  await page.getByLabel('Public keys that sign its requests').fill('{"keys": 1}')
  await page.getByText('Must be a JWK set').waitFor()
  await page.getByLabel('Public keys that sign its requests').fill(keySet(ed25519))
  await button('Create the connection').click()
  await page.getByText('must be a JWK set of 1 to 20 public keys of one algorithm').waitFor()
  await page.getByLabel('Public keys that sign its requests').fill('')
  await button('Create the connection').click()
  await page.getByText('must be an https address without a fragment').waitFor()
  await look('refused')
  await page.getByLabel('Redirect addresses').fill('https://payroll.example.com/callback\nhttps://pay.example.com/cb')
  await button('Create the connection').click()
  await page.getByRole('heading', { level: 1, name: 'Connection created' }).waitFor()
  const secret = (await page.getByRole('group', { name: 'Client secret' }).textContent())?.trim() ?? ''
  assert.match(secret, /^[\w-]{43}$/)
  await page.getByText(`${opened.trial.baseUrl}/signin/oidc/.well-known/openid-configuration`).waitFor()
  for (const address of ['https://payroll.example.com/callback', 'https://pay.example.com/cb']) {
    await page.getByText(address, { exact: true }).waitFor()
  }
  await page.getByText('It is disabled: it has no keys. Add its public keys, then turn it on.').waitFor()
  await look('created')
  await page.getByRole('link', { name: 'Go to the connection' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payroll' }).waitFor()
  id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  assert.equal(await page.getByText(secret).count(), 0, 'the secret is gone from the page')
  const { kind, mode, redirect_uris: addresses, is_public: isPublic } = await readConnection(id)
  assert.deepEqual([kind, mode, addresses.length, isPublic], ['second_step', 'disabled', 2, false])
})

test('a second step without keys says how to mend that, and is turned on once it has keys', { skip }, async () => {
  await visit(`/connections/${id}`)
  await page.getByText('No keys yet').waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Enforce…|Observe)$/ }).count(), 0)
  await look('no-keys')
  await page.getByRole('link', { name: 'Add its public keys' }).click()
  await page.getByLabel('Public keys that sign its requests').fill(keySet(es256))
  await page.getByText('1 change: request keys').waitFor()
  await look('settings')
  await button('Save changes').click()
  await page.getByText('Signed requests (ES256)').waitFor()
  assert.equal(await page.getByText('it has no keys').count(), 0)
  await page.getByRole('link', { name: 'Mode', exact: true }).click()
  await button('Observe').click()
  await page.getByRole('heading', { level: 2, name: 'Observes' }).waitFor()
  await page.getByRole('navigation', { name: 'Connection' }).getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Public keys that sign its requests').fill('')
  await button('Save changes').click()
  await page.getByText('are needed: a second step signs its requests').waitFor()
})

test('an application is made with the upstream that signs its people in', { skip }, async () => {
  const client = { client_id: 'muster', client_secret: 'a-secret-of-the-tests' }
  provider.reset()
  const upstream = { name: 'Example ID', provider: 'oidc', issuer: provider.issuer, ...client }
  await visit('/connections/new')
  await page.getByRole('radio', { name: /^An application sends people to Muster first/ }).check()
  await page.getByRole('option', { name: 'None yet' }).waitFor({ state: 'attached' })
  assert.equal((await askAsPage(page, 'POST', '/session/sign_in_upstreams', upstream)).status, 200)
  await page.reload()
  await page.getByRole('radio', { name: /^An application sends people to Muster first/ }).check()
  await page.getByLabel('Name', { exact: true }).fill('Wiki')
  await page.getByLabel('Redirect addresses').fill('https://wiki.example.com/callback')
  await button('Create the connection').click()
  await page.getByText('is needed: an upstream signs its people in').waitFor()
  await look('application')
  await page.getByLabel('Upstream').selectOption('Example ID')
  await button('Create the connection').click()
  await page.getByText('It observes: no device is refused.').waitFor()
  await page.getByRole('link', { name: 'Go to the connection' }).click()
  await page.getByText('Upstream Example ID').waitFor()
  const wiki = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const { kind, mode, request_keys: keys } = await readConnection(wiki)
  assert.deepEqual([kind, mode, keys], ['application', 'observe', null])
  await visit('/connections')
  for (const shown of ['Second step', 'Signed requests (ES256)', 'Application', 'Upstream Example ID']) {
    await page.getByText(shown, { exact: true }).waitFor()
  }
  await look('list')
  await visit(`/connections/${wiki}/setup`)
  await page.getByText('Enter these values in place of those of the identity provider.').waitFor()
  await look('setup-application')
  await nameGroups(wiki)
  assert.equal((await askAsPage(page, 'DELETE', `/session/sign_in_connections/${wiki}`)).status, 204)
})

test('an application says where people are led back to from signing out, and may do without PKCE', {
  skip,
}, async () => {
  const signOuts = page.getByLabel('Sign-out addresses (optional)')
  const pkce = page.getByLabel('Require PKCE')
  const without = page.getByText('Without PKCE, each request has to come with a nonce.')
  const client = (name: RegExp) => page.getByRole('radio', { name })
  const fillIn = async (name: string) => {
    await visit('/connections')
    await visit('/connections/new')
    await client(/^An application sends people to Muster first/).check()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Redirect addresses').fill('https://portal.example.com/callback')
    await page.getByLabel('Upstream').selectOption('Example ID')
    await pkce.uncheck()
    await without.waitFor()
  }
  const idOfMade = async () => {
    await page.getByRole('link', { name: 'Go to the connection' }).click()
    await page.getByText('Upstream Example ID').waitFor()
    return new URL(page.url()).pathname.split('/').at(-1) ?? ''
  }
  const optionsOf = async (made: string) => {
    const { is_public: isPublic, requires_pkce: requires, post_logout_redirect_uris: uris } = await readConnection(made)
    return [isPublic, requires, uris]
  }

  await fillIn('Pocket')
  await client(/^Public/).check()
  assert.deepEqual([await pkce.count(), await without.count()], [0, 0])
  await button('Create the connection').click()
  await page.getByText('Select the response type code, the scope openid, and PKCE with S256.').waitFor()
  assert.equal(await page.getByText('Sign-out address').count(), 0)
  const pocket = await idOfMade()
  assert.deepEqual(await optionsOf(pocket), [true, true, []])
  await visit(`/connections/${pocket}/settings`)
  await signOuts.waitFor()
  assert.equal(await pkce.count(), 0)

  await fillIn('Portal')
  await client(/^Our identity provider signs people in/).check()
  assert.deepEqual([await pkce.count(), await signOuts.count()], [0, 1])
  await client(/^An application sends people to Muster first/).check()
  await signOuts.fill('http://portal.example.com/signed-out')
  await button('Create the connection').click()
  await page.getByText('must be an https address without a fragment').waitFor()
  assert.equal(await signOuts.getAttribute('aria-invalid'), 'true')
  await look('without-pkce')
  const addresses = ['https://portal.example.com/signed-out', 'https://portal.example.com/bye']
  await signOuts.fill(addresses.join('\n'))
  await button('Create the connection').click()
  await page.getByText('the scope openid, and a nonce: PKCE is not required.').waitFor()
  for (const address of addresses) await page.getByText(address, { exact: true }).waitFor()
  assert.equal(await button('Copy the sign-out address').count(), 1)
  await look('without-pkce-created')
  portal = await idOfMade()
  assert.deepEqual(await optionsOf(portal), [false, false, addresses])

  await visit(`/connections/${portal}/settings`)
  await without.waitFor()
  assert.equal(await signOuts.inputValue(), addresses.join('\n'))
  await pkce.check()
  await signOuts.fill('')
  await without.waitFor({ state: 'detached' })
  await page.getByText('2 changes: sign-out addresses, PKCE').waitFor()
  await button('Save changes').click()
  await page.getByText('Connection saved').waitFor()
  await button('Save changes').waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
  assert.equal(await page.getByText('Someone else changed this').count(), 0, 'what was saved here is nobody else’s')
  assert.deepEqual(await optionsOf(portal), [false, true, []])
  await visit(`/connections/${portal}/setup`)
  await page.getByText('Select the response type code, the scope openid, and PKCE with S256.').waitFor()
  assert.equal(await page.getByText('Sign-out address').count(), 0)
  assert.equal((await askAsPage(page, 'DELETE', `/session/sign_in_connections/${pocket}`)).status, 204)
})

test('Microsoft Entra has neither sign-out addresses nor PKCE to choose', { skip }, async () => {
  const record = `**/views/sign_in_connections/${portal}`
  await page.route(record, async (route) => {
    await route.fulfill({ json: { ...(await (await route.fetch()).json()), kind: 'entra' } })
  })
  await page.goto(at(`/connections/${portal}/settings`))
  await page.getByText('Microsoft signs people in').waitFor()
  await page.getByLabel('Start address (optional)').waitFor()
  for (const label of ['Sign-out addresses (optional)', 'Require PKCE']) {
    assert.equal(await page.getByLabel(label).count(), 0, label)
  }
  await page.unroute(record)
})

test('a refused request is said in plain words, with what to do about it, until someone gets in', {
  skip,
}, async () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const refusal = { reason: 'pkce_missing', refused_at: minutesAgo(5) }
  const words = 'The application sends no PKCE'
  const note = page.locator('.note.will').filter({ hasText: 'A request was refused' })
  let says: object = {}
  // The server of this test runs in a process of its own: what it would have noted is put into its answers.
  await page.route(/\/views\/sign_in_connections(\/\d+)?(\?.*)?$/, async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    const said = (connection: { id: string }) => (connection.id === portal ? { ...connection, ...says } : connection)
    await route.fulfill({ json: answer.data ? { ...answer, data: answer.data.map(said) } : said(answer) })
  })
  const visitWith = async (path: string, now: object) => {
    says = now
    await visit('/connections/browsers')
    await page.goto(at(path))
    await page.getByText('Portal').first().waitFor()
  }
  const failureCell = page.getByRole('row').filter({ hasText: 'Portal' }).getByRole('cell').nth(5)
  try {
    await visitWith(`/connections/${portal}`, { last_refusal: refusal, last_sign_in_at: minutesAgo(9) })
    await note.waitFor()
    assert.match(
      (await note.textContent()) ?? '',
      /^A request was refused \d+ m ago\. The application sends no PKCE\. Turn PKCE on there, with the method S256, or turn “Require PKCE” off under Settings\.$/,
    )
    await look('request-refused')
    await keepPicture(page, '/sign-in-request-refused', 'dark')
    await assertFitsPhone(page)
    await note.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Require PKCE').waitFor()
    await visitWith(`/connections/${portal}`, { last_refusal: refusal, is_public: true })
    await note.getByText('Turn PKCE on there, with the method S256.').waitFor()
    await page.route('**/console/api/session', async (route) => {
      const me = await (await route.fetch()).json()
      await route.fulfill({ json: { ...me, permissions: [] } })
    })
    await visitWith(`/connections/${portal}`, { last_refusal: refusal })
    await note.getByText('Turn PKCE on there, with the method S256.').waitFor()
    assert.equal(await note.getByRole('link').count(), 0, 'who may not change it')
    await page.unroute('**/console/api/session')
    await visitWith(`/connections/${portal}`, { last_refusal: { ...refusal, reason: 'redirect_uri' } })
    await note.getByText('exactly, to the redirect addresses of the connection.').waitFor()
    await visitWith(`/connections/${portal}`, { last_refusal: refusal, last_sign_in_at: minutesAgo(3) })
    await page.getByRole('heading', { level: 2, name: 'Observes' }).waitFor()
    assert.equal(await note.count(), 0)

    const failure = { reason: 'blocked_by_issues', started_at: minutesAgo(7) }
    await visitWith('/connections', { last_refusal: refusal, last_failure: failure, last_sign_in_at: null })
    assert.equal(await failureCell.textContent(), words)
    assert.equal(await failureCell.getAttribute('title'), words)
    const width = (of: 'scrollWidth' | 'clientWidth') => failureCell.evaluate((cell, side) => cell[side], of)
    assert.ok((await width('scrollWidth')) > (await width('clientWidth')), 'it is longer than its column')
    assert.equal(await failureCell.evaluate((cell) => getComputedStyle(cell).textOverflow), 'ellipsis')
    await look('list-refused')
    await assertFitsPhone(page)
    const later = { ...failure, started_at: minutesAgo(2) }
    await visitWith('/connections', { last_refusal: refusal, last_failure: later, last_sign_in_at: null })
    assert.notEqual(await failureCell.textContent(), words)
  } finally {
    await page.unrouteAll({ behavior: 'wait' })
  }
  assert.equal((await askAsPage(page, 'DELETE', `/session/sign_in_connections/${portal}`)).status, 204)
})

/** Groups that are shared with an application: chosen in Settings, and taken away again. */
async function nameGroups(wiki: string): Promise<void> {
  for (const name of ['Salary review', 'Berlin office']) {
    await opened.trial.run('groups', 'create-person-group', name)
  }
  await visit(`/connections/${wiki}/settings`)
  await button('Choose groups…').click()
  const groups = dialog('Shared groups')
  await groups.getByRole('searchbox').fill('berlin')
  await groups.getByRole('checkbox', { name: 'Salary review' }).waitFor({ state: 'detached' })
  await groups.getByRole('checkbox', { name: 'Berlin office' }).check()
  await look('choose-groups')
  await groups.getByRole('button', { name: 'Done' }).click()
  await page.getByText('1 change: shared groups').waitFor()
  await look('groups')
  await button('Save changes').click()
  await page.getByText('Connection saved').waitFor()
  const namesOf = async () => (await readConnection(wiki)).groups.map(({ name }: { name: string }) => name)
  assert.deepEqual(await namesOf(), ['Berlin office'])
  await button('Remove Berlin office').click()
  await button('Save changes').click()
  await page.getByText('1 change: shared groups').waitFor({ state: 'detached' })
  assert.deepEqual(await namesOf(), [])
}

test('enforcement is turned on with the number of people whom the report names', { skip }, async () => {
  await visit(`/connections/${id}`)
  const report = (await askAsPage(page, 'GET', `/views/sign_in_connections/${id}/readiness`)).body
  assert.ok(report.refused_count > 0, 'the simulated devices have no companions')
  await button('Enforce…').click()
  const asked = dialog('Enforce “Payroll”?')
  await asked.getByRole('link').first().waitFor()
  await look('report')
  const save = asked.getByRole('button', { name: /^Enforce and refuse/ })
  await asked.getByLabel(/^Type \d+ to continue$/).fill(String(report.refused_count + 1))
  assert.ok(await save.isDisabled())
  await opened.trial.run('people', 'add', 'Late Comer', 'late@halden.example')
  await asked.getByLabel(/^Type \d+ to continue$/).fill(String(report.refused_count))
  await save.click()
  await asked
    .getByText(`Now ${report.refused_count + 1} people would be refused, not ${report.refused_count}.`)
    .waitFor()
  assert.equal((await readConnection(id)).mode, 'observe')
  await asked.getByLabel(`Type ${report.refused_count + 1} to continue`).fill(String(report.refused_count + 1))
  await save.click()
  await asked.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 2, name: 'Enforces' }).waitFor()
  assert.equal((await readConnection(id)).mode, 'enforce')
  await look('mode')
})

test('the report says of a connection that enforces whom it refuses, and of a paused one whom it would', {
  skip,
}, async () => {
  const reports = `**/views/sign_in_connections/${id}/readiness`
  const none = (await askAsPage(page, 'GET', `/views/sign_in_connections/${id}/readiness`)).body
  const { people_count: all, refused_count: refused } = none
  await visit(`/connections/${id}`)
  await button('Who is refused today').click()
  await dialog('Who is refused today').getByText(`${refused} people of ${all} are refused today.`).waitFor()
  await button('Close').click()
  const reasons = Object.fromEntries(Object.keys(none.reasons).map((reason) => [reason, 0]))
  await page.route(reports, (route) => route.fulfill({ json: { ...none, reasons, platforms: [], refused_count: 0 } }))
  await button('Who is refused today').click()
  await dialog('Who is refused today').getByText(`No one is refused today: all ${all} people can sign in.`).waitFor()
  await look('report-enforcing')
  await button('Close').click()
  const pause = { minutes: 30, reason: 'Agent update' }
  assert.equal((await askAsPage(page, 'POST', `/session/sign_in_connections/${id}/pause`, pause)).status, 200)
  await visit('/connections')
  await visit(`/connections/${id}`)
  await button('Who would be refused today').click()
  const paused = dialog('Who would be refused today')
  await paused.getByText(`No one would be refused today: all ${all} people could sign in.`).waitFor()
  await page.unroute(reports)
  await button('Close').click()
  assert.equal((await askAsPage(page, 'POST', `/session/sign_in_connections/${id}/resume`)).status, 204)
})

test('a connection that enforces is paused for a reason, and enforces again', { skip }, async () => {
  await visit(`/connections/${id}`)
  await button('Pause…').click()
  await dialog(/Pause/).getByLabel('Reason').fill('Agent update')
  await look('pause')
  await dialog(/Pause/).getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: 'Paused' }).waitFor()
  await page.getByText('Reason: Agent update').waitFor()
  await look('paused')
  await button('End the pause').click()
  await page.getByRole('heading', { level: 2, name: 'Enforces' }).waitFor()
})

test('each caller that asks second has its steps', { skip }, async () => {
  await visit(`/connections/${id}/setup`)
  for (const caller of ['okta', 'signing']) {
    await page.getByLabel('Set up at').selectOption(caller)
    await page.getByText('Shown once when it was made.').first().waitFor()
    await look(`setup-${caller}`)
  }
  for (const path of [`/connections/${id}`, `/connections/${id}/setup`]) {
    await visit(path)
    await untilIdle(page)
    await assertFitsPhone(page)
  }
})

test('keys are rotated with the date of the change, and replaced at once only after a warning', { skip }, async () => {
  await visit('/connections/keys')
  await page.getByText('None yet: the first sign-in makes one.').waitFor()
  assert.equal(await button('Rotate the key…').count(), 0)
  // An application that looks for the keys has the first one made.
  assert.equal((await fetch(`${opened.trial.baseUrl}/signin/oidc/jwks`)).status, 200)
  await page.reload()
  await button('Rotate the key…').click()
  await dialog('Rotate the signing key?').getByRole('button', { name: 'Rotate the key' }).click()
  await page.getByText(/^Published, signs from .+ UTC$/).waitFor()
  await look('keys')
  await button('Replace at once…').click()
  const warning = dialog('Replace the signing key at once?')
  const replace = warning.getByRole('button', { name: 'Replace the key at once' })
  assert.ok(await replace.isDisabled())
  await warning.getByLabel('Type replace to continue').fill('replace')
  await replace.click()
  await page
    .getByText(/^Withdrawn .+ UTC$/)
    .first()
    .waitFor()
  await page.getByText(/^Signs since .+ UTC$/).waitFor()
})

test('policy files are downloaded for the address of the server', { skip }, async () => {
  await visit('/connections/browsers')
  await look('browsers')
  const started = page.waitForEvent('download')
  await button('Download muster-chrome-edge.json').click()
  const download = await started
  assert.equal(download.suggestedFilename(), 'muster-chrome-edge.json')
  const policy = JSON.parse(readFileSync(await download.path(), 'utf8'))
  assert.deepEqual(policy.LoopbackNetworkAllowedForUrls, [opened.trial.baseUrl])
})

test('the secret is replaced, and a connection is deleted by its name', { skip }, async () => {
  await visit(`/connections/${id}`)
  await button('More for this connection').click()
  await page.getByRole('menuitem', { name: 'Replace the client secret…' }).click()
  await dialog(/^Replace the client secret/)
    .getByRole('button', { name: 'Replace the client secret' })
    .click()
  await dialog('New client secret').getByRole('group').waitFor()
  await look('new-secret')
  await button('I’ve copied it').click()
  await button('More for this connection').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const remove = dialog('Delete “Payroll”?').getByRole('button', { name: 'Delete the connection' })
  assert.ok(await remove.isDisabled())
  await look('delete')
  await page.getByLabel('Type Payroll to continue').fill('Payroll')
  await remove.click()
  await page.getByText('No connections yet.').waitFor()
  assert.equal((await askAsPage(page, 'GET', `/views/sign_in_connections/${id}`)).status, 404)
  assert.deepEqual(opened.faults, [])
})
