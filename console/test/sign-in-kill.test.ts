import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { registerDevice } from '../../server/src/administration/registrations/register-device.ts'
import { addCompanionKey } from '../../server/src/agents/companion-keys/add-companion-key.ts'
import { linkCompanion } from '../../server/src/agents/companion-keys/link-companion.ts'
import { systemChange } from '../../server/src/base/change-context.ts'
import { transact } from '../../server/src/base/db/transact.ts'
import { createConnection } from '../../server/src/sign-in/connections/create-connection.ts'
import { openBalancer } from '../../server/test/strangers/balancer.ts'
import { testDatabase, testOnPostgres } from '../../server/test/support/database.ts'
import { found } from '../../server/test/support/installed-companion.ts'
import { makeIn } from '../../server/test/support/make.ts'
import { openPostgresPlace } from '../../server/test/support/postgres-place.ts'
import { provingDevice, relyingParty } from '../../server/test/support/sign-in-browser.ts'
import { deadlineMs, launchBrowser, lackOfBrowser as skip } from './browser.ts'

const database = testDatabase()
const nowText = () => new Date().toISOString()
const change = () => systemChange('1', nowText())

/** A person, and an unregistered device of theirs that proves itself by a key of ours. */
async function addMember() {
  const make = makeIn(database)
  const person = await make.person('1', { email: 'ana@acme.example' })
  const device = await make.device('1', { name: 'ana-x1' })
  const companion = await provingDevice()
  const facts = {
    ...{
      isBundled: false,
      hardwareUuid: null,
      serial: 'PF1',
      hostname: 'ana-x1',
      platform: 'linux',
      agentVersion: '1',
    },
  }
  await transact(database.db, async (tx) => {
    const key = { organizationId: '1', kid: companion.kid, jwk: companion.jwk as never, now: nowText() }
    await addCompanionKey(tx, key, facts)
    await linkCompanion(tx, { kid: companion.kid, deviceId: device.id }, change())
  })
  const keys = database.db.selectFrom('companion_keys').select('epoch').where('kid', '=', companion.kid)
  const { epoch } = await keys.executeTakeFirstOrThrow()
  return { person, device, prove: (challenge: string) => companion.prove(challenge, epoch) }
}

void testOnPostgres('a page continues when the process that held its request is killed', { skip }, async (t) => {
  const balancer = await openBalancer()
  t.after(() => balancer.stop())
  const settings = { MUSTER_BASE_URL: balancer.origin, MUSTER_TRUST_PROXY: '127.0.0.1' }
  const place = openPostgresPlace(t, { url: database.url, db: database.db }, settings)
  const servers = [await place.start(['serve', '--no-worker']), await place.start(['serve', '--no-worker'])]
  balancer.lead(...servers.map(({ origin }) => origin))
  const { person, device, prove } = await addMember()
  const rp = await relyingParty({ issuer: balancer.origin })
  const site = createServer((_request, response) => void response.end('Payroll is open'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  t.after(() => site.close())
  const address = site.address()
  const redirectUri = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/callback`
  const wanted = {
    kind: 'second_step' as const,
    mode: 'enforce' as const,
    name: 'Payroll',
    redirectUris: [redirectUri],
    requestKeys: [rp.jwk],
  }
  const { clientId } = await transact(database.db, (tx) => createConnection(tx, place.secrets, wanted, change()))
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(deadlineMs)
  const request = await rp.signedRequest(clientId, { login_hint: person.email, redirect_uri: redirectUri })
  await page.goto(balancer.origin + rp.addressOf(request))
  const { pathname } = new URL(page.url())
  const post = (what: string, body: object) =>
    page.evaluate(
      ([path, text]) =>
        fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text }).then((answer) =>
          answer.json(),
        ),
      [`${pathname}/${what}`, JSON.stringify(body)] as const,
    )
  const { challenge } = (await post('challenge', {})) as { challenge: string }
  await post('proof', { proof: await prove(challenge) })
  await page.getByRole('heading', { level: 1, name: 'Register this computer to ana@acme.example?' }).waitFor()

  // The first answer comes at once, and the page is drawn again.
  const holder = await found(async () => balancer.heldBy(/\/news\?seen=./))
  const server = servers.find(({ origin }) => origin === holder) ?? assert.fail(`${holder} is neither`)
  await server.kill()
  balancer.drop(holder)
  const killedAt = performance.now()
  await transact(database.db, (tx) => registerDevice(tx, { deviceId: device.id, personId: person.id }, change()))
  await page.waitForURL(/callback\?code=/)
  t.diagnostic(`In the application ${Math.round(performance.now() - killedAt)} ms after the kill`)
})
