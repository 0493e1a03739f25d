import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'
import { relyingParty } from '../support/sign-in-browser.ts'

test('connections are added and tested while the server runs, and paused, resumed and disabled while it does not', async (t) => {
  const port = String(await freePort())
  const place = await openRunPlace(t, { PORT: port })
  const server = await place.start(['serve'])
  assert.equal((await place.run(['organizations', 'create', 'Acme'])).exit, 0)
  const folder = dirname(place.dataDir)
  const [keys, file] = [join(folder, 'keys.json'), join(folder, 'payroll.json')]
  const { jwk, redirectUri } = await relyingParty()
  await writeFile(keys, JSON.stringify({ keys: [jwk] }))
  const add = ['connections', 'add', 'second-step', 'Payroll', '--redirect-uri', redirectUri, '--request-keys', keys]

  const made = await place.run([...add, '--json', file])
  assert.equal(made.exit, 0, made.err)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const given = JSON.parse(await readFile(file, 'utf8'))
  const issuer = `http://localhost:${port}/signin/oidc`
  assert.deepEqual([given.issuer, given.redirect_uris], [issuer, [redirectUri]])
  assert.ok(given.client_secret.length > 40 && !`${made.out}${made.err}`.includes(given.client_secret))
  const before = await readFile(file, 'utf8')
  const again = await place.run([...add, '--json', file])
  assert.deepEqual([again.exit, again.out], [2, ''])
  assert.match(again.err, /EEXIST/)
  assert.equal(await readFile(file, 'utf8'), before)
  const listed = (await place.run(['connections', 'list'])).out.trimEnd().split('\n')
  assert.equal(listed.length, 2, 'nothing is made where the file is there')

  const away = await place.run([
    ...'connections add application Wiki --upstream 99 --redirect-uri'.split(' '),
    redirectUri,
  ])
  assert.deepEqual([away.exit, away.err.includes('upstream-id must be an upstream')], [2, true], away.err)
  const app = '--tenant-id 5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415 --app-id c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04'
  const entra = `connections add entra M365 ${app} --cloud china --wait-minutes 3 --managed-browsers`.split(' ')
  const clientOf = /^Connection: +(\d+)$/m.exec((await place.run(entra)).out)?.[1] ?? ''
  const shown = (await place.run(['connections', 'show', clientOf])).out
  for (const field of [/^Kind: +entra$/m, /^Cloud: +china$/m, /^Waits: +3 minutes$/m, /^Managed browsers: +yes$/m]) {
    assert.match(shown, field)
  }

  const { id } = given
  await writeFile(join(folder, 'request.jwt'), 'no request')
  const tested = await place.run(['connections', 'test', id, '--request', join(folder, 'request.jwt')])
  assert.match(tested.out, /^✗ request: it must be a signed JWT/m)
  assert.equal(tested.exit, 1, 'there are no people')
  assert.match(tested.out, new RegExp(`^✓ discovery: ${issuer} answers$`, 'm'))
  assert.match(tested.out, /^✓ signing key: /m)
  assert.equal(await server.stop(), 0)

  assert.match((await place.run(['connections', 'test', id])).out, /^✗ discovery: .* start the server/m)
  const modeOf = async () =>
    /^Mode: +.*\n(?:Pause|Paused until): +(\S+)$/m.exec((await place.run(['connections', 'show', id])).out)?.[1]
  const asked = await place.run(['connections', 'enforce', id])
  assert.deepEqual(
    [asked.exit, /^Nothing was changed\. To enforce: .*--refusing 0$/m.test(asked.err)],
    [2, true],
    asked.err,
  )
  assert.equal((await place.run(['connections', 'enforce', id, '--refusing', '0'])).exit, 0)
  const paused = await place.run(['connections', 'pause', id, '--for', '4h', '--reason', 'an outage'])
  assert.equal(paused.exit, 0, paused.err)
  assert.match((await modeOf()) ?? '', /^\d{4}-/)
  assert.equal((await place.run(['connections', 'resume', id])).exit, 0)
  assert.equal(await modeOf(), 'none')
  assert.equal((await place.run(['connections', 'disable', id])).exit, 2)
  assert.equal((await place.run(['connections', 'disable', id, '--confirm', 'Payroll'])).exit, 0)
  assert.match((await place.run(['connections', 'show', id])).out, /^Mode: +disabled$/m)
})
