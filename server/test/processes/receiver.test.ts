import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort, type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openRunPlace } from '../support/run-place.ts'

const port = String(await freePort())
const listenerPort = String(await freePort())
const enrollSecret = 'a-secret-of-the-receiver-test'
const place = await openRunPlace({ after }, { PORT: port })

/** What a receiver has printed of devices: the status that a device has now, with its number. */
const standingsIn = (receiver: MusterProcess): string[] =>
  receiver
    .output()
    .matchAll(/ {2}device-compliance-change {2}\S+ → (\S+) {2}device (\d+) /g)
    .map(([, status, device]) => `${device} ${status}`)
    .toArray()

test('a change of a device reaches receivers on this machine, pushed and polled', async () => {
  const key = (await place.run(['keys', 'generate'])).out.trim()
  const client = { MUSTER_API_KEY: key }
  // First, because it makes the certificate that the server is told to trust.
  const pushed = await place.startCommand(
    ['receiver', '--create', '--port', listenerPort, '--answer', '503', '--for', '1'],
    /cannot be reached: .*Waiting for it/,
    client,
  )
  assert.match(pushed.output(), /NODE_EXTRA_CA_CERTS=\S+receiver-ca\.pem MUSTER_ALLOW_PRIVATE_RECEIVERS=true npm start/)
  const server = await place.start(['serve'], {
    NODE_EXTRA_CA_CERTS: join(place.dataDir, 'receiver-ca.pem'),
    MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true',
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Example',
    MUSTER_BOOTSTRAP_API_KEY: key,
    MUSTER_BOOTSTRAP_ENROLL_SECRET: enrollSecret,
    MUSTER_BOOTSTRAP_PERSON_EMAIL: 'ada@example.com',
  })
  const polled = await place.startCommand(['receiver', '--poll'], / {2}verification {2}/, client)
  await pushed.says(/^\S+ {2}verification {2}/m)

  const agent = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  try {
    await agent.enroll(enrollSecret)
    await agent.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }))
  } finally {
    agent.close()
  }
  const ask = (method: string, path: string, body?: unknown) => server.ask(method, path, { key, body })
  const { id: deviceId } = (await ask('GET', '/devices')).body.data[0]
  const search = encodeURIComponent('slug:linux-pending-reboot')
  const { id: checkId } = (await ask('GET', `/checks?query=${search}`)).body.data[0]
  for (const strategy of ['block_immediately', 'report_only']) {
    await ask('PATCH', `/checks/${checkId}/configurations`, { remediation_strategy: strategy })
    const status = strategy === 'report_only' ? 'compliant' : 'not-compliant'
    const isTold = async () => [pushed, polled].every((one) => standingsIn(one).at(-1) === `${deviceId} ${status}`)
    await until(60_000, isTold)
  }
  for (const receiver of [pushed, polled]) {
    assert.deepEqual(standingsIn(receiver), [`${deviceId} not-compliant`, `${deviceId} compliant`])
    assert.equal(await receiver.stop('SIGINT'), 0)
    assert.match(receiver.output(), /Deleted the stream/)
  }
  assert.match(pushed.output(), / {2}PUT OFF {2}verification {2}.*by --answer 503/)
  assert.deepEqual((await ask('GET', '/ssf_streams')).body.data, [])
  assert.equal(await server.stop(), 0)
})

test('wrong use is told before anything is done', async () => {
  const { exit, err } = await place.run(['receiver', '--poll'])
  assert.deepEqual(
    [exit, err.split('\n')[0]],
    [2, 'MUSTER_API_KEY has to be a key that may manage streams. Make one, and export it:'],
  )
})
