import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import http from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { generateKey } from '../../src/base/secrets/token-format.ts'
import { freePort, type MusterProcess, openPlace, printedKey, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'

const keyForm = /mstr_v1_[0-9A-Za-z]{36}/

/** The settings are the defaults, as after `npm start`; a client of the trial has 270 requests a minute. */
const place = openPlace({ after })
const outcomes = ['passing', 'failing', 'unknown', 'inapplicable', 'errored']

test('the trial of one machine, from the first start to the third', async (t) => {
  // The agent keeps its key for the server at this address.
  const port = String(await freePort())
  let trial = await place.start(['start'], { PORT: port })
  const key = await printedKey(trial)
  let deviceId = ''
  let configureKey = ''
  const ask = (method: string, path: string, body?: unknown) =>
    trial.ask(method, path, { key: configureKey || key, body })

  await t.test('this machine is listed with results of its checks within 15 seconds', async () => {
    const results = async () => (await ask('GET', `/devices/${deviceId}/check_results?per_page=100`)).body.data
    const isListed = async () => {
      deviceId = (await ask('GET', '/devices')).body.data[0]?.id ?? ''
      return deviceId !== '' && (await results()).some(({ ran_at }: { ran_at: string | null }) => ran_at !== null)
    }
    await until(15_000, isListed, 500)
    const ran = (await results()).filter(({ ran_at }: { ran_at: string | null }) => ran_at !== null)
    for (const { ran_at, status, check_slug } of ran) {
      assert.ok(Math.abs(Date.now() - Date.parse(ran_at)) < 60_000, `${check_slug} ran at ${ran_at}`)
      assert.ok(outcomes.includes(status), `${check_slug}: ${status}`)
    }
    const statuses = new Set(ran.map(({ status }: { status: string }) => status))
    assert.ok(ran.length >= 8 && statuses.has('passing'), `${ran.length} results: ${[...statuses]}`)
    const { body: device } = await ask('GET', `/devices/${deviceId}`)
    assert.ok(device.registered_at, 'it belongs to whoever started the trial')
    const { body: owner } = await ask('GET', `/people/${device.registered_owner_info.identifier}`)
    assert.equal(owner.name, userInfo().username)
  })

  await t.test('the link that was printed makes the first administrator', async () => {
    const token = /\/console\/setup#(mstr_link_\w+)/.exec(trial.output())?.[1]
    const origin = /Muster is running at (\S+)/.exec(trial.output())?.[1] ?? ''
    const body = { token, password: 'a long walk at dusk', email: 'ada@example.com', first_name: 'Ada' }
    const answer = await trial.ask('POST', '/console/api/session/link/accept', { body, headers: { origin } })
    assert.deepEqual([answer.status, answer.body.administrator?.access], [200, 'full'])
  })

  await t.test('the key that was printed is nowhere in the data folder', async () => {
    assert.match(trial.output(), keyForm)
    assert.match(
      trial.output(),
      /\nAn API key that may only read; `npx muster keys reveal 1` shows it again:\n {2}mstr_/,
    )
    assert.equal((await trial.ask('DELETE', `/devices/${deviceId}`, { key })).status, 403)
    const names = await readdir(place.dataDir, { recursive: true, withFileTypes: true })
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    assert.ok(files.length > 500, `only ${files.length} files were found`)
    for (const file of files) assert.ok(!(await readFile(file)).includes(key), `the key is in ${file}`)
  })

  await t.test('a second process on the folder is refused and told who holds it', async () => {
    const { exit, err } = await place.run(['start'], { PORT: '0' })
    assert.equal(exit, 4)
    assert.match(err, new RegExp(`^Cannot start: The data folder .* is in use by process ${trial.pid}: `))
    assert.doesNotMatch(err, /\n {4}at /)
  })

  await t.test('a key made by the command line while the server runs works at once', async () => {
    const { exit, out } = await place.run(
      ['keys', 'create', 'Configuration', '--permission', 'configure_checks', '--rationale', 'To try blocking.'],
      {},
    )
    assert.equal(exit, 0)
    configureKey = out.trim()
    assert.match(configureKey, keyForm)
    assert.equal((await ask('GET', '/whoami')).status, 200)
  })

  await t.test('a check that blocks turns its failing device to Blocked, and back, and the audit log says who', () =>
    blockAndForgive(trial, configureKey),
  )

  await t.test('a stop answers what has begun and then exits with 0', () => stopInTheMiddle(trial, configureKey))

  await t.test('a second start prints no key and continues with the same device', async () => {
    const startedAt = Date.now()
    trial = await place.start(['start'], { PORT: port })
    await trial.says(/answers the checks/)
    const { body } = await ask('GET', '/devices')
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [deviceId, String(Number(deviceId) + 1)],
    )
    await until(
      45_000,
      async () => {
        const { last_seen_at } = (await ask('GET', `/devices/${deviceId}`)).body
        return Date.parse(last_seen_at) > startedAt
      },
      500,
    )
    assert.doesNotMatch(trial.output(), keyForm)
    assert.doesNotMatch(trial.output(), /agent: enrolled/)
    assert.equal(await trial.stop(), 0)
  })

  await t.test('a start without the agent hears nothing from this machine', async () => {
    trial = await place.start(['start', '--no-agent'])
    const before = (await ask('GET', `/devices/${deviceId}`)).body.last_seen_at
    assert.ok(before, 'the last contact was written at the stop')
    await pause(2_000)
    assert.doesNotMatch(trial.output(), /agent/)
    assert.equal(await trial.stop('SIGINT'), 0)
    trial = await place.start(['start', '--no-agent'])
    assert.equal((await ask('GET', `/devices/${deviceId}`)).body.last_seen_at, before)
    assert.equal(await trial.stop(), 0)
  })
})

test('a trial whose settings bring an API key says that it may do everything, and does not print it', async () => {
  const key = generateKey()
  const other = openPlace({ after }, { MUSTER_BOOTSTRAP_API_KEY: key })
  const trial = await other.start(['start', '--no-agent'])
  await trial.says(/More keys/)
  assert.doesNotMatch(trial.output(), keyForm)
  const said = trial.output().split('\n').slice(-5)
  assert.deepEqual(said, [
    'The API key of MUSTER_BOOTSTRAP_API_KEY may do everything; `npx muster keys reveal 1` shows it again.',
    'Ask for the devices:',
    `  curl -H "Authorization: Bearer $MUSTER_BOOTSTRAP_API_KEY" ${trial.origin}/devices`,
    'More keys, with fewer permissions: npx muster keys create --help',
    '',
  ])
  assert.equal((await trial.ask('DELETE', '/devices/1', { key })).status, 404, 'it may')
  assert.equal((await other.run(['keys', 'reveal', '1'])).out.trim(), key)
  assert.equal(await trial.stop(), 0)
})

/** Whatever this machine passes and fails, a second one fails one check, enrolled with the secret of the trial. */
async function blockAndForgive(trial: MusterProcess, key: string): Promise<void> {
  const ask = (method: string, path: string, body?: unknown) => trial.ask(method, path, { key, body })
  const secret = (await readFile(join(place.dataDir, 'enroll_secret'), 'utf8')).trim()
  const client = osqueryClient(trial.origin.replace('localhost', '127.0.0.1'))
  try {
    await client.enroll(secret)
    await client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }))
  } finally {
    client.close()
  }
  const failing = (await ask('GET', `/devices?query=${encodeURIComponent('serial:PF3ABCDE')}`)).body.data[0]
  const stateOf = async () => (await ask('GET', `/devices/${failing.id}`)).body.auth_state
  assert.equal(await stateOf(), 'Good', 'every check only reports at first')
  const checks = await ask('GET', `/checks?query=${encodeURIComponent('slug:linux-pending-reboot')}`)
  const { id: checkId, name } = checks.body.data[0]
  for (const [strategy, from, to, state] of [
    ['block_immediately', 'Report only', 'Block immediately', 'Blocked'],
    ['report_only', 'Block immediately', 'Report only', 'Good'],
  ]) {
    const changed = await ask('PATCH', `/checks/${checkId}/configurations`, { remediation_strategy: strategy })
    assert.deepEqual([changed.status, changed.body.remediation_strategy], [200, strategy])
    await until(10_000, async () => (await stateOf()) === state, 250)
    const [entry] = (await ask('GET', '/audit_logs?per_page=1')).body.data
    assert.equal(entry.actor_name, 'Configuration')
    assert.equal(entry.actor_info.actor_type, 'ApiKey')
    assert.ok(
      entry.description.startsWith(`Updated the configuration of the check "${name}": `) &&
        entry.description.includes(`strategy changed from "${from}" to "${to}"`),
      entry.description,
    )
  }
}

/** Half of each request is sent before the interrupt, the rest after it. */
async function stopInTheMiddle(trial: MusterProcess, key: string): Promise<void> {
  const whole = JSON.stringify({ remediation_strategy: 'report_only' })
  const underWay = await Promise.all(
    Array.from({ length: 12 }, () => sendHalf(`${trial.origin}/checks/1/configurations`, key, whole)),
  )
  const stopped = trial.stop()
  await trial.says(/Stopping/)
  await pause(200)
  const answers = await Promise.all(underWay.map((finish) => finish()))
  for (const { status, connection, body } of answers) {
    assert.deepEqual([status, connection], [200, 'close'])
    assert.equal(JSON.parse(body).remediation_strategy, 'report_only')
  }
  assert.equal(await stopped, 0)
}

type Ended = { status: number | undefined; connection: string | undefined; body: string }

/** Resolves, once the first half of the body has left, to what sends the rest and waits for the answer. */
function sendHalf(url: string, key: string, whole: string): Promise<() => Promise<Ended>> {
  const sent = http.request(url, {
    method: 'PATCH',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(whole),
    },
  })
  const answer = new Promise<Ended>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (response) => {
      const { statusCode: status, headers } = response
      text(response).then((body) => resolve({ status, connection: headers.connection, body }), reject)
    })
  })
  answer.catch(() => {})
  return new Promise((resolve, reject) => {
    sent.on('error', reject)
    sent.write(whole.slice(0, 10), () =>
      // The socket has taken it; the server needs a moment to have it, too.
      setTimeout(
        () =>
          resolve(() => {
            sent.end(whole.slice(10))
            return answer
          }),
        200,
      ),
    )
  })
}
