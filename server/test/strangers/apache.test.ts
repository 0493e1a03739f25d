// Party: Apache mod_auth_openidc: apache2=apache2-bin /usr/lib/apache2/modules/mod_auth_openidc.so=libapache2-mod-auth-openidc /etc/mime.types=media-types chromium
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { applicationSettings } from '../../src/cli/application-settings.ts'
import { readMetadata } from '../../src/sign-in/upstreams/read-metadata.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { freePort } from '../support/muster-process.ts'
import { applicationBrowser } from './applications/application-browser.ts'
import { openChromium, privatePage, setLoopback } from './chromium.ts'
import type { Laptop } from './laptop.ts'
import { programFolder, type Running, runProgram } from './run-program.ts'
import { signInAs } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const mail = 'ana@acme.example'
const registered = { clientId: 'muster', clientSecret: 'the-secret-of-the-client' }
const egress = { innerNames: [], innerRanges: ['127.0.0.1'] }
const modules = '/usr/lib/apache2/modules'
const stops: (() => Promise<unknown>)[] = []
let browser: Browser
let check: Awaited<ReturnType<typeof place.make.check>>
let laptop: Laptop
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let upstreamId: string

after(async () => {
  for (const stop of stops.reverse()) await stop()
})

before(async () => {
  await place.ready
  provider = await startIdentityProvider(`${place.tenant.origin}/signin/upstream/return`)
  stops.push(() => provider.stop())
  provider.accounts.set('ana-7', { email: mail, emailVerified: true })
  const metadata = await readMetadata(egress, { provider: 'oidc', issuer: provider.issuer, ...registered })
  const upstream = { name: 'Example ID', provider: 'oidc', emailDomains: ['acme.example'], ...registered } as const
  upstreamId = (await place.tenant.addUpstream({ ...upstream, metadata })).id
  const ana = await place.make.person(place.tenant.organizationId, { email: mail })
  check = await place.make.check(place.tenant.organizationId, {
    configuration: { remediation_strategy: 'block_immediately' },
  })
  laptop = await place.tenant.addLaptop({ ownerId: ana.id })
  browser = await openChromium(place.tenant.origin)
  stops.push(() => browser.close())
})

/** Those that the documentation names. */
const directives = Object.entries(applicationSettings.mod_auth_openidc.settings)
  .map(([name, value]) => `${name} "${value}"`)
  .join('\n')

type Guarded = { address: string; connectionId: string; log: () => string }

/** Apache with a folder that only a compliant device may see; its people sign in at an upstream. */
async function guardedFolder(): Promise<Guarded> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/protected/`
  const redirectUri = `${address}callback`
  const { id, clientId, clientSecret } = await place.tenant.addConnection({
    ...{ kind: 'application', name: 'Wiki', redirectUris: [redirectUri], upstreamId },
  })
  const folder = programFolder('apache')
  folder.write('www/protected/index.html', '<h1>The wiki</h1>')
  const loaded = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'dir', 'mime']
  const config = folder.write(
    'apache.conf',
    `
ServerRoot "${folder.path}"
ServerName 127.0.0.1
DefaultRuntimeDir "${folder.path}"
PidFile "${folder.path}/apache.pid"
ErrorLog "${folder.path}/error.log"
LogLevel warn auth_openidc:debug
Listen 127.0.0.1:${port}
StartServers 1
${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
TypesConfig /etc/mime.types
DocumentRoot "${folder.path}/www"
DirectoryIndex index.html
OIDCProviderMetadataURL ${place.tenant.issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret ${clientSecret}
OIDCRedirectURI ${redirectUri}
OIDCCryptoPassphrase ${clientSecret}
${directives}
<Directory "${folder.path}/www">
  Require all granted
</Directory>
<Location /protected>
  AuthType openid-connect
  Require claim acr:urn:muster:device:compliant
</Location>
`,
  )
  const running: Running = await runProgram('apache2', ['-f', config, '-D', 'FOREGROUND'], port)
  stops.push(async () => {
    await running.stop()
    folder.remove()
  })
  return { address, connectionId: id, log: () => folder.read('error.log') }
}

/** Opens the folder in a browser that may reach the companion; returns what Apache answers in the end. */
async function visit({ address, log }: Guarded): Promise<{ status: number; text: string }> {
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, place.tenant.origin, 'granted')
  const last = page.waitForResponse((response) => response.url() === address && response.status() !== 302)
  await page.goto(address)
  await signInAs(page, 'ana-7')
  const status = await last.then(
    (response) => response.status(),
    (error) => assert.fail(`${error}\n${log().slice(-4_000)}`),
  )
  await page.waitForLoadState()
  const text = (await page.locator('body').textContent())?.trim() ?? ''
  await context.close()
  return { status, text }
}

test('Apache shows its folder to a compliant device', async () => {
  const folder = await guardedFolder()
  const { status, text } = await visit(folder)
  assert.deepEqual([status, text], [200, 'The wiki'], folder.log().slice(-6_000))
  const { evidence, device_id: device } = (await place.sessions()).at(-1) ?? {}
  assert.deepEqual([evidence, device], ['asserted', laptop.deviceId])
})

/** The laptop fails its check from now on. */
async function fail() {
  const device = { organization_id: place.tenant.organizationId, id: laptop.deviceId }
  await place.make.result({ device, check, rows: 'FAIL', at: new Date().toISOString() })
}

test('Apache refuses a device that is let in by observe but is not compliant', async () => {
  const folder = await guardedFolder()
  await place.tenant.setMode(folder.connectionId, 'observe')
  await fail()
  const { status, text } = await visit(folder)
  assert.equal(status, 401, folder.log().slice(-6_000))
  assert.equal(text.includes('The wiki'), false)
  assert.equal((await place.sessions()).at(-1)?.state, 'observed')
})

test('Apache refuses whoever was blocked and canceled', async () => {
  const folder = await guardedFolder()
  await fail()
  const asked = { musterOrigin: place.tenant.origin, provider, login: 'ana-7', port: laptop.port }
  const blocked = await applicationBrowser(asked).open(folder.address)
  assert.ok(blocked.at === 'muster' && blocked.state === 'blocked', JSON.stringify(blocked))
  const canceled = await blocked.cancel()
  assert.ok(canceled.at === 'application')
  assert.match(canceled.text, /Invalid Request.*target_link_uri/s)
  assert.equal(canceled.text.includes('The wiki'), false)
})
