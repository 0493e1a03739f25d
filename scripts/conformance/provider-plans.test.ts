import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForPictures } from './browse-pages.ts'
import { type AvailablePlan, whyNotAvailable } from './plans.ts'
import { alias, configurationOf, providerChoices } from './provider-plans.ts'

const [config] = providerChoices
if (!config) throw new Error('There is no plan')

test('each plan of a provider is found by the word openid, and has the clients that its answers go to', () => {
  assert.ok(providerChoices.every(({ title }) => title.toLowerCase().includes('openid')))
  const clients = [1, 2].map((number) => ({ clientId: `id-${number}`, clientSecret: `secret-${number}` }))
  assert.deepEqual(configurationOf(config, { issuer: 'https://muster.test/signin/oidc', clients }), {
    ...{ description: config.title, alias },
    server: { discoveryUrl: 'https://muster.test/signin/oidc/.well-known/openid-configuration' },
    client: { client_id: 'id-1', client_secret: 'secret-1' },
    client2: { client_id: 'id-2', client_secret: 'secret-2' },
    client_secret_post: { client_id: 'id-2', client_secret: 'secret-2' },
  })
})

test('a suite without the plans says so', () => {
  const other: AvailablePlan = { planName: 'another-plan', variants: {} }
  for (const choice of providerChoices) {
    assert.equal(whyNotAvailable(choice, [other]), `the suite has no plan ${choice.plan}`)
  }
})

test('a picture is asked for by an entry that has none yet', () => {
  assert.deepEqual(asksForPictures([{ upload: 'a' }, { upload: 'b', img: 'data:' }, { msg: 'c' }]), ['a'])
})
