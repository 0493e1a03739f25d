import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AvailablePlan, choices, configurationFor, whyNotAvailable } from './plans.ts'

const anyOf = (...values: string[]) => ({ variantValues: Object.fromEntries(values.map((value) => [value, {}])) })
const variants = {
  ssf_server_metadata: anyOf('static', 'discovery'),
  ssf_auth_mode: anyOf('static', 'dynamic'),
  ssf_delivery_mode: anyOf('push', 'poll'),
  ssf_profile: anyOf('default', 'caep_interop'),
  server_metadata: anyOf('static', 'discovery'),
  client_registration: anyOf('static_client', 'dynamic_client'),
  client_auth_type: anyOf('client_secret_basic', 'client_secret_post'),
}
const plan = (planName: string, own: AvailablePlan['variants'] = variants): AvailablePlan => ({
  planName,
  variants: own,
})
const both = [plan('openid-ssf-transmitter-test-plan'), plan('openid-ssf-transmitter-caep-test-plan')]

test('every choice is run by a suite that knows its plan and variant, and says what another one lacks', () => {
  assert.deepEqual(new Set(choices.map((choice) => whyNotAvailable(choice, both))), new Set([undefined]))
  const [choice] = choices
  assert.ok(choice)
  assert.equal(whyNotAvailable(choice, []), 'the suite has no plan openid-ssf-transmitter-test-plan')
  const { ssf_delivery_mode: _, ...rest } = variants
  for (const own of [rest, { ...rest, ssf_delivery_mode: anyOf('push') }]) {
    assert.equal(whyNotAvailable(choice, [plan(choice.plan, own)]), 'the suite has no ssf_delivery_mode poll')
  }
})

test('both plans are run by push and by poll, with static tokens and with OAuth, and each choice has a title', () => {
  const kinds = choices.map(({ plan: name, variant }) => `${name} ${variant['ssf_delivery_mode']}`)
  assert.equal(new Set(kinds).size, 4)
  assert.deepEqual(new Set(choices.map(({ variant }) => variant['ssf_auth_mode'])), new Set(['static', 'dynamic']))
  assert.equal(new Set(choices.map(({ title }) => title)).size, choices.length)
})

test('the variant of a plan with static tokens says nothing of OAuth, which the suite refuses', () => {
  for (const { variant } of choices.filter((choice) => choice.variant['ssf_auth_mode'] === 'static')) {
    assert.deepEqual(
      Object.keys(variant).filter((name) => /^(server_metadata|client_)/.test(name)),
      [],
    )
  }
})

test('the static token is what the choice says, and the metadata are where the issuer has them', () => {
  const [choice] = choices
  assert.ok(choice)
  const transmitter = { issuer: 'https://trust.example', clientId: '7', key: 'K', accessToken: 'T' }
  const of = (token: 'key' | 'access token', issuer = transmitter.issuer) =>
    configurationFor({ ...choice, token }, { ...transmitter, issuer })
  assert.deepEqual(of('key'), {
    description: choice.title,
    server: { discoveryUrl: 'https://trust.example/.well-known/oauth-authorization-server' },
    client: { client_id: '7', client_secret: 'K', scope: 'ssf.manage ssf.read' },
    ssf: {
      transmitter: {
        issuer: 'https://trust.example',
        configuration_metadata_endpoint: 'https://trust.example/.well-known/ssf-configuration',
        access_token: 'K',
      },
    },
  })
  const text = JSON.stringify(of('access token', 'https://trust.example/ssf/2'))
  assert.match(text, /"access_token":"T"/)
  assert.match(text, /trust\.example\/\.well-known\/oauth-authorization-server\/ssf\/2"/)
  assert.match(text, /trust\.example\/\.well-known\/ssf-configuration\/ssf\/2"/)
})
