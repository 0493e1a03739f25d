import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openKeySite } from '../support/key-site.ts'
import { freePort, until } from '../support/muster-process.ts'

const page = new URL('../../../docs/connect-a-receiver.md', import.meta.url)
/** Where the program finds its one dependency. */
const cwd = fileURLToPath(new URL('../..', import.meta.url))
const audience = 'https://receiver.example.test/events'
const authorization = 'Bearer of the stream'

test('the receiver of the documentation takes what it should, refuses what is wrong and puts off the rest', async (t) => {
  const [, program = ''] = /<!-- receiver:start -->\n```js\n(.*?)```/s.exec(await readFile(page, 'utf8')) ?? []
  const site = await openKeySite()
  t.after(() => site.close())
  const issuer = new URL(site.jwksUri).origin
  const port = String(await freePort())
  const { PATH } = process.env
  const env = { PATH, PORT: port, ISSUER: issuer, AUDIENCE: audience, AUTHORIZATION: authorization }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd, env })
  t.after(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const url = `http://127.0.0.1:${port}/events`
  const send = async (body: string, headers = { authorization }) => {
    const answer = await fetch(url, { method: 'POST', headers, body })
    const text = await answer.text()
    return [answer.status, text === '' ? undefined : JSON.parse(text).err]
  }
  const answers = () =>
    fetch(url, { method: 'POST' }).then(
      () => true,
      () => child.exitCode !== null && assert.fail(printed),
    )
  await until(30_000, answers)

  const claims = { iss: issuer, aud: audience, iat: 1, jti: 'token-1', events: { 'urn:event': { state: 'seen' } } }
  const token = await site.sign(claims)
  assert.deepEqual(await send(token), [202, undefined])
  assert.deepEqual(await send(token), [202, undefined])
  await until(10_000, async () => printed.includes('seen'))
  assert.equal(printed.match(/urn:event/g)?.length, 1, 'a repeat is not acted on')
  assert.deepEqual(await send(token, { authorization: 'Bearer of nobody' }), [400, 'authentication_failed'])
  assert.deepEqual(await send('no token'), [400, 'invalid_request'])
  assert.deepEqual(await send(`${token}x`), [400, 'invalid_request'])
  assert.deepEqual(await send(await site.sign({ ...claims, aud: 'other' })), [400, 'invalid_request'])
  assert.deepEqual(await send(await site.sign({ ...claims, iss: 'other' })), [400, 'invalid_request'])
  assert.deepEqual(await send(await site.sign(claims, { typ: 'JWT' })), [400, 'invalid_request'])
  await site.rotate(false)
  assert.deepEqual(await send(await site.sign(claims)), [503, undefined])
})
