import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CommandError } from '../command-error.ts'
import { planReceiver, type ReceiverFlags } from './plan-receiver.ts'

const config = { baseUrl: 'http://localhost:8080' }
const withKey = { MUSTER_API_KEY: ' key ' }
const plan = (flags: ReceiverFlags, env: NodeJS.ProcessEnv = withKey) => planReceiver({ flags, env, config })
const push = {
  how: 'push',
  server: config.baseUrl,
  apiKey: undefined,
  port: 8935,
  tls: 'self-signed',
  url: undefined,
  audience: undefined,
  authorization: undefined,
  fault: undefined,
  faultMs: undefined,
}

test('polling takes a stream that is there, with its token, or one that is made', async () => {
  const polling = { how: 'poll', server: config.baseUrl, apiKey: 'key', pollToken: undefined }
  assert.deepEqual(await plan({ poll: true }), polling)
  assert.deepEqual(await plan({ poll: true, create: true, server: 'https://a.test/b' }), {
    ...polling,
    server: 'https://a.test/b',
  })
  const env = { ...withKey, MUSTER_POLL_TOKEN: 'token' }
  assert.deepEqual(await plan({ poll: '7' }, env), { ...polling, stream: '7', pollToken: 'token' })
})

test('being pushed to needs no key unless a stream is made', async (t) => {
  assert.deepEqual(await plan({}, {}), push)
  assert.deepEqual(await plan({ create: true, port: '9000', answer: '503', for: '20' }), {
    ...push,
    apiKey: 'key',
    port: 9000,
    fault: '503',
    faultMs: 20_000,
  })
  assert.deepEqual(await plan({ cert: 'c', key: 'k' }), { ...push, tls: { certFile: 'c', keyFile: 'k' } })
  assert.deepEqual(await plan({ http: true, audience: 'a' }), { ...push, tls: 'none', audience: 'a' })
  const folder = await mkdtemp(join(tmpdir(), 'muster-receiver-'))
  t.after(() => rm(folder, { recursive: true }))
  const authorizationFile = join(folder, 'authorization')
  await writeFile(authorizationFile, 'Bearer of the file\n')
  const env = { MUSTER_RECEIVER_AUTHORIZATION: 'Bearer of the environment' }
  assert.deepEqual(await plan({}, env), { ...push, authorization: 'Bearer of the environment' })
  assert.deepEqual(await plan({ authorizationFile }, env), { ...push, authorization: 'Bearer of the file' })
})

test('flags that do not fit are refused, and told which', async () => {
  const cases: [ReceiverFlags, RegExp][] = [
    [{ poll: true, port: '1' }, /^--port is for events that are pushed/],
    [{ poll: '7', authorizationFile: 'x' }, /^--authorization-file is for/],
    [{ poll: '7', create: true }, /^--create makes a stream of its own/],
    [{ cert: 'c' }, /^--cert and --key belong together/],
    [{ http: true, cert: 'c', key: 'k' }, /^--http uses no certificate/],
    [{ create: true, http: true }, /--url/],
    [{ create: true, audience: 'a' }, /^--create learns the audience/],
    [{ url: 'nowhere' }, /^--url needs an address/],
    [{ for: '3' }, /^--for needs --answer/],
    [{ answer: '200' }, /^--answer is one of 503, 429, 400, hang/],
    [{ answer: 'hang', for: '0' }, /^--for needs a whole number from 1 to 86400/],
    [{ port: '65536' }, /^--port needs a whole number from 1 to 65535/],
    [{ port: '80a' }, /^--port needs a whole number/],
    [{ server: 'ftp://a.test' }, /^--server needs an address/],
    [{ authorizationFile: '/nowhere/at/all' }, /^Cannot read \/nowhere\/at\/all: ENOENT/],
  ]
  for (const [flags, message] of cases) {
    await assert.rejects(plan(flags), (error) => error instanceof CommandError && message.test(error.message))
  }
  for (const flags of [{ poll: true }, { poll: '7' }, { create: true }] as const) {
    await assert.rejects(plan(flags, {}), /MUSTER_API_KEY has to be a key/)
  }
})
