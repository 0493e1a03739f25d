import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testApp } from '../../test/support/app.ts'
import { type HeldRequest, heldRequest } from '../../test/support/held-request.ts'
import { createScimToken } from '../access/scim/create-token.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'

const served = testApp({ env: { MUSTER_TRUST_PROXY: 'loopback' } })
let origin = ''
before(async () => {
  await served.ready
  origin = await served.app.listen({ host: '127.0.0.1', port: 0 })
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test('a body that drips is answered with 408 wherever one is read, whoever sends it, and its connection ends', async () => {
  const key = { authorization: `Bearer ${served.tenant.key}` }
  const requests: [path: string, headers: Record<string, string | number>][] = [
    ['/oauth/token', form],
    ['/console/api/session', {}],
    ['/signin/oidc/token', form],
    ['/signin/oidc/me', form],
    ['/signin/entra/1/authorize', form],
    ['/signin/0123456789abcdef01234567/register', {}],
    ['/signin/0123456789abcdef01234567/code', form],
    ['/no/such/place', {}],
    ['/no/such/place', { 'content-type': 'text/plain' }],
    ['/webhook_endpoints', key],
  ]
  const outcomes = await Promise.all(
    requests.map(async ([path, headers]) => {
      const held = heldRequest(origin, path, { 'content-length': 1_000, ...headers })
      await held.send('{')
      const status = await held.status
      await held.closed
      return [path, status]
    }),
  )
  assert.deepEqual(
    outcomes,
    requests.map(([path]) => [path, 408]),
  )
})

test('who is known may be slower than a stranger: whoever has shown a key or a token', async () => {
  const { token } = await transact(served.db, (tx) =>
    createScimToken(tx, served.secrets, { name: 'Okta' }, systemChange(served.tenant.organizationId, served.now())),
  )
  const requests: [path: string, body: string, bearer: string | undefined][] = [
    [
      '/webhook_endpoints',
      JSON.stringify({ url: 'https://receiver.example/a', events: ['issues.new'] }),
      served.tenant.key,
    ],
    [
      '/scim/v2/Users',
      JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ana@acme.example' }),
      token,
    ],
    ['/console/api/session/sign_in', JSON.stringify({ email: 'a@acme.example', password: 'x' }), undefined],
  ]
  const statuses = await Promise.all(
    requests.map(async ([path, body, bearer]) => {
      const own = { 'content-length': body.length, origin: served.config.baseUrl }
      const headers = { ...own, ...(bearer && { authorization: `Bearer ${bearer}` }) }
      const held = heldRequest(origin, path, headers)
      await held.send(body.slice(0, 5))
      await sleep(7_000)
      await held.send(body.slice(5))
      return held.status
    }),
  )
  assert.deepEqual(statuses, [200, 201, 408])
})

test('what strangers of many networks hold is bounded, and no key and no person of another network waits for it', async () => {
  const held: HeldRequest[] = []
  try {
    for (let network = 0; network < 40; network += 1) {
      for (let sent = 0; sent < 4; sent += 1) {
        const headers = { 'content-length': 1_048_576, 'x-forwarded-for': `198.51.${network}.1` }
        const one = heldRequest(origin, '/console/api/session', headers)
        held.push(one)
        void one.send(Buffer.alloc(1_048_000, 'x'))
      }
    }
    // Beyond 16 MiB the network that holds most gives one up.
    assert.equal(await Promise.race(held.map(({ status }) => status)), 429)
    const body = { url: 'https://receiver.example/hook', events: ['issues.new'] }
    const { status } = await served.ask('POST', '/webhook_endpoints', { body })
    assert.equal(status, 200)
    const signIn = await fetch(`${origin}/console/api/session/sign_in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: served.config.baseUrl, 'x-forwarded-for': '203.0.113.7' },
      body: JSON.stringify({ email: 'nobody@acme.example', password: 'x' }),
    })
    assert.equal(signIn.status, 401)
  } finally {
    for (const one of held) one.end()
  }
})
