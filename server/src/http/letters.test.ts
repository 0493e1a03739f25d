import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, testApp } from '../../test/support/app.ts'
import { signedInAdmin } from '../../test/support/console.ts'
import { createScimToken } from '../access/scim/create-token.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'

const served = testApp()

type Door = {
  send: (body: Buffer | string, headers?: Record<string, string>) => Promise<Answer>
  /** A body with a name in it. */
  naming: (name: string) => string
  names: () => Promise<string[]>
}

const people = async () => (await served.db.selectFrom('people').select('name').orderBy('id').execute()).map(nameOf)
const webhooks = async () =>
  (await served.db.selectFrom('webhook_endpoints').select('description as name').orderBy('id').execute()).map(nameOf)
const nameOf = ({ name }: { name: string | null }) => name ?? ''

const webhook = (description: string) =>
  JSON.stringify({ description, url: 'https://hooks.example.com/muster', events: ['issues.new'] })

async function doors(): Promise<Record<string, Door>> {
  const change = systemChange(served.tenant.organizationId, served.now())
  const { token } = await transact(served.db, (tx) => createScimToken(tx, served.secrets, { name: 'IdP' }, change))
  const admin = await signedInAdmin(served)
  const type = { 'content-type': 'application/json' }
  const posting =
    (url: string, key?: string): Door['send'] =>
    (body, headers = {}) =>
      served.ask('POST', url, { ...(key !== undefined && { key }), body, headers: { ...type, ...headers } })
  let count = 0
  return {
    API: { send: posting('/webhook_endpoints'), naming: webhook, names: webhooks },
    SCIM: {
      send: posting('/scim/v2/Users', token),
      naming: (displayName) => {
        count += 1
        const emails = [{ value: `u${count}@acme.example`, primary: true }]
        const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
        return JSON.stringify({ schemas, userName: `u${count}`, displayName, emails })
      },
      names: people,
    },
    console: {
      send: (body, headers = {}) => admin.ask('POST', '/webhook_endpoints', body, { ...type, ...headers }),
      naming: webhook,
      names: webhooks,
    },
  }
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test('bodies of the API, SCIM and the console are UTF-8 or refused, and nothing of them is kept', async () => {
  for (const [door, { send, naming, names }] of Object.entries(await doors())) {
    const before = await names()
    const wrong: [body: Buffer, headers: Record<string, string>, status: number, message: RegExp][] = [
      [latin1(naming('Über')), {}, 400, /^The body is not UTF-8\./],
      [latin1(naming('Über')), { 'content-type': 'application/json; charset=utf-8' }, 400, /^The body is not UTF-8\./],
      [Buffer.from(naming('x'.repeat(70_000))).fill(0xff, 60_000, 60_001), {}, 400, /^The body is not UTF-8\./],
      [
        latin1(naming('Über')),
        { 'content-type': 'application/json; charset=ISO-8859-1' },
        415,
        /charset ISO-8859-1\.$/,
      ],
      [latin1(naming('A')), { 'content-type': 'application/json;charset="windows-1252"' }, 415, /windows-1252\.$/],
      [gzipSync(naming('Über')), { 'content-encoding': 'gzip' }, 415, /without Content-Encoding: gzip\.$/],
      [Buffer.from(naming('A')), { 'content-encoding': 'br, gzip' }, 415, /without Content-Encoding: br, gzip\.$/],
    ]
    for (const [body, headers, status, message] of wrong) {
      const answer = await send(body, headers)
      const text = JSON.stringify(answer.body)
      const said = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
      assert.equal(answer.status, status, `${door} ${JSON.stringify(headers)}: ${text}`)
      assert.match(said.message ?? said.detail, message, door)
      const isOfCoding = 'content-encoding' in headers
      assert.equal(answer.headers['accept-encoding'], isOfCoding ? 'identity' : undefined, door)
    }
    assert.deepEqual(await names(), before, door)
    const kept: [name: string, headers: Record<string, string>][] = [
      ['Über', {}],
      ['Übung', { 'content-type': 'application/json; charset=UTF-8' }],
      ['Zoë', { 'content-type': 'application/json; charset="utf8"' }],
      ['Zoe', { 'content-type': 'application/json; charset=us-ascii', 'content-encoding': 'identity' }],
    ]
    for (const [name, headers] of kept) {
      const { status, body } = await send(Buffer.from(naming(name)), headers)
      assert.ok(status < 300, `${door} ${name}: ${status} ${JSON.stringify(body)}`)
    }
    assert.deepEqual(await names(), [...before, ...kept.map(([name]) => name)], door)
  }
})

test('where no body is taken, its letters are nobody’s concern', async () => {
  const { status } = await served.ask('DELETE', '/devices/1', {
    body: latin1('Ü'),
    headers: { 'content-type': 'application/json; charset=latin1', 'content-encoding': 'gzip' },
  })
  assert.equal(status, 404)
})
