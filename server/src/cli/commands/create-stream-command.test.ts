import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { startOfTests } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { streamCommands } from './stream-commands.ts'

const trial = testApp()
const run = commandsOn(trial, startOfTests)
beforeEach(() => trial.reset())

const read = async () => (await trial.ask('GET', '/ssf_streams')).body.data

test('a stream for Okta has its layout and audience, and says what to enter there', async () => {
  const { out } = await run(streamCommands.add, { okta: 'acme-admin.okta.com' })
  const [stream] = await read()
  const { name, aud, spec_version, device_subject_format, delivery } = stream
  assert.deepEqual(
    [name, aud, spec_version, device_subject_format, delivery.endpoint_url],
    ['Okta', 'https://acme.okta.com', 'draft', 'opaque', 'https://acme.okta.com/security/api/v1/security-events'],
  )
  assert.deepEqual(out.trimEnd().split('\n'), [
    `Created the stream ${stream.id}, "Okta", pushed to acme.okta.com`,
    'In Okta, open Security > Device Integrations > Receive shared signals, create a stream, and enter:',
    `  Issuer    ${baseUrl}`,
    `  JWKS URL  ${baseUrl}/ssf/jwks.json`,
  ])
  const refused = run(streamCommands.add, { okta: 'http://acme.okta.com' })
  await assert.rejects(refused, /not valid/)
})

test('a stream that is polled is created with a token that polls it, and one that is pushed with what was asked', async () => {
  const polled = await run(streamCommands.add, { name: 'Own', deviceFormat: 'opaque' })
  const [stream] = await read()
  assert.equal(stream.device_subject_format, 'opaque')
  const token = /^ {2}(muspt_\w+)$/m.exec(polled.out)?.[1]
  assert.equal((await trial.ask('GET', `/ssf_streams/${stream.stream_id}/events`, { key: token })).status, 200)
  const given = { push: 'https://r.example.com/e', audience: 'urn:r', authorization: 'Bearer x' } as const
  const pushed = await run(streamCommands.add, { name: 'Pushed', ...given })
  assert.ok(pushed.out.includes('pushed to r.example.com') && !pushed.out.includes('Bearer x'), pushed.out)
  const [, other] = await read()
  assert.deepEqual([other.aud, other.authorization_header, other.delivery_type], ['urn:r', 'Bearer x', 'push'])
  await assert.rejects(run(streamCommands.add, { push: 'https://10.0.0.1/' }), /not valid/)
})
