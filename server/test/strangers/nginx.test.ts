// Party: nginx: nginx chromium
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { until } from '../support/muster-process.ts'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { enter, openChromium, privatePage, setLoopback } from './chromium.ts'
import type { Laptop } from './laptop.ts'
import { loopbackBrowser } from './loopback-browser.ts'
import { programFolder, type Running, runProgram } from './run-program.ts'
import { pressOtherWay, untilUndetected } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace({ isBehindProxy: true })
const hint = { login_hint: 'ana@acme.example' }
const folder = programFolder('nginx')
let nginx: Running
let site: ApplicationSite
let browser: Browser
let laptop: Laptop

/** As docs/operating.md asks for, with the log that nginx keeps unless it is told otherwise. */
const configuration = () => `
daemon off;
pid ${folder.path}/nginx.pid;
error_log ${folder.path}/error.log warn;
worker_processes 1;
events {}
http {
  access_log ${folder.path}/access.log combined;
  client_body_temp_path ${folder.path}/body;
  proxy_temp_path ${folder.path}/proxy;
  fastcgi_temp_path ${folder.path}/fastcgi;
  uwsgi_temp_path ${folder.path}/uwsgi;
  scgi_temp_path ${folder.path}/scgi;
  upstream muster {
    server ${new URL(place.listenOrigin).host};
    keepalive 8;
  }
  server {
    listen ${new URL(place.tenant.origin).host};
    client_max_body_size 16m;
    keepalive_timeout 75s;
    location / {
      proxy_pass http://muster;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_read_timeout 90s;
    }
  }
}
`

before(async () => {
  await place.ready
  const port = Number(new URL(place.tenant.origin).port)
  nginx = await runProgram('nginx', ['-p', folder.path, '-c', folder.write('nginx.conf', configuration())], port)
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  laptop = await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
  browser = await openChromium(place.tenant.origin)
})

after(async () => {
  await browser?.close()
  await site?.stop()
  // Its companion speaks through nginx.
  await laptop?.stop()
  await nginx?.stop()
  folder.remove()
})

async function signIn(setting: 'granted' | 'denied'): Promise<void> {
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, place.tenant.origin, setting)
  const visit = await site.begin()
  await enter(page, visit.address)
  if (setting === 'denied') {
    await untilUndetected(place)
    await page.locator(pressOtherWay).first().click()
  }
  assert.equal((await visit.claims())['acr'], 'urn:muster:device:compliant')
  await context.close()
}

const compactJws = /eyJ[\w-]+\.[\w-]+\.[\w-]+/

test('people sign in through nginx by fetch and by the other way, and its log holds nothing that opens a door', async () => {
  await signIn('granted')
  await signIn('denied')
  await until(10_000, async () => /GET \/signin\/return/.test(folder.read('access.log')))
  const lines = folder.read('access.log').trim().split('\n')
  const requests = lines.map((line) => /"([A-Z]+ \S+) HTTP/.exec(line)?.[1] ?? line)
  for (const wanted of [
    'GET /signin/oidc/auth?',
    'GET /signin/return',
    'POST /signin/oidc/token',
    'POST /api/v1/companion/check_in',
  ]) {
    assert.ok(
      requests.some((request) => request.startsWith(wanted)),
      wanted,
    )
  }
  assert.equal(requests.filter((request) => /POST \/signin\/[0-9a-f]{24}\/proof$/.test(request)).length, 2)
  // The application's own request is in its address; nothing else that is signed is in any.
  const signed = lines.filter((line) => compactJws.test(line))
  assert.ok(signed.every((line) => /"GET \/signin\/oidc\/auth\?[\w.&=-]+ HTTP/.test(line)))
  assert.equal(signed.length, 2)
  const log = lines.join('\n')
  assert.equal(/[?&#]code=|proof=|[?&]c=|challenge=/.test(log), false, log)
  // The code is in the address of the application alone, which is not behind this nginx.
  assert.equal(
    requests.some((request) => /^GET \/signin\/return\S/.test(request)),
    false,
  )
  const secrets = await place.db.selectFrom('oidc_records').select(['id', 'kind']).execute()
  for (const { id, kind } of secrets.filter(({ kind: one }) => ['AuthorizationCode', 'AccessToken'].includes(one))) {
    assert.equal(log.includes(id), false, kind)
  }
  assert.equal(/muster-si-|_session|_interaction=/.test(log), false)
  assert.equal(folder.read('error.log'), '')
})

test('a sign-in is of the address that nginx saw, whatever the browser says of itself', async () => {
  const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  const { address } = await site.begin()
  const { page, reply } = await loopbackBrowser(place.tenant.origin, forged, '127.0.0.7').arrive(address)
  assert.equal(reply.status, 200)
  const session = (await place.sessions()).find(({ id }) => page === `/signin/${id}`)
  assert.equal(session?.ip_address, '127.0.0.7')
})
