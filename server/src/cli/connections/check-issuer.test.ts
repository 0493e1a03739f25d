import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { listRing } from '../../keys/signing-keys.ts'
import { checkIssuer } from './check-issuer.ts'

const now = '2026-11-20T10:00:00.000Z'
const trial = testApp()

test('an issuer that is another, or whose key set lacks the key that signs, is a fault', async (t) => {
  const ring = { organizationId: trial.tenant.organizationId, purpose: 'oidc' } as const
  await ensureSigningKey(trial.db, trial.secrets, ring, now)
  const [signing] = await listRing(trial.db, ring, now)
  let shown = {}
  const server = createServer((_request, response) => response.end(JSON.stringify(shown))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/signin/oidc`
  const good = { issuer, jwks_uri: `${issuer}/jwks`, keys: [{ kid: 'another' }, { kid: signing?.kid }] }
  const saidOf = async (given: object) => {
    shown = { ...good, ...given }
    return (await checkIssuer(trial.db, { ...ring, issuer, now })).map(({ state, detail }) => `${state} ${detail}`)
  }
  assert.deepEqual(await saidOf({}), [
    `ok ${issuer} answers`,
    `ok ${signing?.kid} signs ID tokens, and is in the key set`,
  ])
  const of = `${issuer}/.well-known/openid-configuration`
  assert.deepEqual(await saidOf({ issuer: `${issuer}/` }), [
    `failed ${of} is of another issuer: set MUSTER_BASE_URL of the server to this address`,
  ])
  assert.deepEqual(await saidOf({ jwks_uri: 'https://elsewhere.example/jwks' }), [
    `failed ${of} names a key set elsewhere: check the proxy in front of Muster`,
  ])
  for (const keys of [[{ kid: 'another' }], undefined, 'none', [null]]) {
    const [, key] = await saidOf({ keys })
    assert.equal(key, `failed what signs ID tokens is not in ${issuer}/jwks: restart the server`)
  }
})
