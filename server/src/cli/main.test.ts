import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isWellFormedKey } from '../base/secrets/token-format.ts'
import { ownVersion } from '../http/own-version.ts'
import { generateSecret } from '../signals/webhooks/endpoint-secret.ts'
import { headersOf, signingKeysOf } from '../signals/webhooks/sign-delivery.ts'

const bin = fileURLToPath(new URL('../../bin/muster.js', import.meta.url))

type Outcome = { exit: number; out: string; err: string }

function muster(args: string[], env: NodeJS.ProcessEnv = {}, input?: string): Promise<Outcome> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [bin, ...args],
      { env: { PATH, NODE_COMPILE_CACHE, ...env } },
      (error, out, err) => {
        const exit = error ? error.code : 0
        if (typeof exit === 'number') resolve({ exit, out, err })
        else reject(error)
      },
    )
    child.stdin?.end(input)
  })
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-cli-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

test('the version is printed without a server or settings', async () => {
  for (const flag of ['--version', '-V']) {
    assert.deepEqual(await muster([flag]), { exit: 0, out: `${ownVersion}\n`, err: '' })
  }
})

test('a user whose home the system does not know, as in a container, runs commands', async () => {
  const nameless = `import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT') }
    syncBuiltinESMExports()`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(nameless)}` }
  assert.equal((await muster(['keys', 'generate'], env)).exit, 0)
  const { exit, out } = await muster(['agent', '--help'], env)
  assert.equal(exit, 0)
  assert.match(out, /"\/\.muster-agent\.json"/)
})

test('a key is made without a server or settings', async () => {
  const { exit, out, err } = await muster(['keys', 'generate'])
  assert.deepEqual({ exit, err }, { exit: 0, err: '' })
  assert.ok(isWellFormedKey(out.trimEnd()))
})

test('a reader of the output that goes away is met with silence', async () => {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [bin, 'keys', 'generate'], { env: { PATH, NODE_COMPILE_CACHE } })
  child.stdout.destroy()
  const [err, [exit]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.deepEqual({ exit, err }, { exit: 141, err: '' })
})

test('help is given for the program and its commands, with exit code 0', async () => {
  for (const args of [
    ['--help'],
    ['keys', '--help'],
    ['doctor', '--help'],
    ['simulate', '--help'],
    ['simulate', 'requests', '--help'],
    ['requests', 'deny', '--help'],
    ['help', 'export'],
  ]) {
    const { exit, out } = await muster(args)
    assert.equal(exit, 0, args.join(' '))
    assert.match(out, /Usage: muster|--devices/)
  }
})

test('wrong use, wrong configuration, an unreachable database and absence have exit codes of their own', async (t) => {
  const folder = await makeFolder(t)
  const env = { MUSTER_DATA_DIR: join(folder, 'data') }
  const server = { DATABASE_URL: 'postgres://a:planted@127.0.0.1:1/b', MUSTER_MASTER_KEY: 'ab'.repeat(32) }
  const outcomes = await Promise.all([
    muster(['dance']),
    muster(['keys', 'reveal']),
    muster(['keys', 'list'], { PORT: 'planted' }),
    muster(['keys', 'list'], { ...env, ...server }),
    muster(['doctor'], { ...env, ...server }),
  ])
  assert.deepEqual(
    outcomes.map(({ exit }) => exit),
    [2, 2, 3, 4, 1],
  )
  assert.match(outcomes[2]?.err ?? '', /PORT: must be a whole number/)
  for (const { out, err } of outcomes) {
    assert.doesNotMatch(out + err, /planted|\bat .*\.ts:/)
    assert.notEqual(out + err, '')
  }
})

test('a deployment moves from one data folder to another, with its master key', async (t) => {
  const folder = await makeFolder(t)
  const old = { MUSTER_DATA_DIR: join(folder, 'old') }
  const file = join(folder, 'export.ndjson')
  assert.equal((await muster(['organizations', 'create', 'Example'], old)).exit, 0)
  const listed = await muster(['organizations', 'list'], old)
  assert.match(listed.out, /Example/)
  assert.equal((await muster(['export', '--output', file], old)).exit, 0)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await muster(['export', '--output', file], old)).exit, 1, 'an existing file is not replaced')

  const masterKey = (await readFile(join(old.MUSTER_DATA_DIR, 'master.key'), 'utf8')).trim()
  const renewed = { MUSTER_DATA_DIR: join(folder, 'new'), MUSTER_MASTER_KEY: masterKey }
  const text = await readFile(file, 'utf8')
  assert.equal((await muster(['import'], renewed, text)).exit, 0)
  assert.equal((await muster(['organizations', 'list'], renewed)).out, listed.out)
})

test('an exported end of the audit log tells later that the log is the same, unless the export was changed', async (t) => {
  const folder = await makeFolder(t)
  const env = { MUSTER_DATA_DIR: join(folder, 'data') }
  const file = join(folder, 'head.json')
  assert.equal((await muster(['organizations', 'create', 'Example', '--without-checks'], env)).exit, 0)
  const exported = await muster(['audit', 'head', '--output', file], env)
  assert.deepEqual(exported, { exit: 0, out: '', err: '' })
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const again = await muster(['audit', 'head', '--output', file], env)
  assert.deepEqual([again.exit, again.out], [1, ''], 'an export is not replaced')
  const { out, exit } = await muster(['audit', 'verify', '--head', file], env)
  assert.equal(exit, 0)
  assert.match(
    out,
    /^The audit log of Example is intact: (\d+) entries, the last is \1, and entry \1 is the one exported at /,
  )

  await writeFile(file, (await readFile(file, 'utf8')).replace('"count": ', '"count": 1'))
  const forged = await muster(['audit', 'verify', '--head', file], env)
  assert.deepEqual([forged.exit, forged.out], [1, ''])
  assert.match(forged.err, /^The head was changed, or exported by an installation with another master key/)
  await writeFile(file, 'null')
  assert.equal((await muster(['audit', 'verify', '--head', file], env)).exit, 2)
})

test('a webhook that was received is verified from files, without a database', async (t) => {
  const folder = await makeFolder(t)
  const at = (name: string) => join(folder, name)
  const secret = generateSecret()
  const body = '{"event":"webhook.test"}'
  const headers = headersOf({
    ...{ messageId: '01KAF5J8T3Q4V9R0C6M1B7X2ZD', body, timestampSeconds: 1_763_630_043 },
    ...{ keys: { current: signingKeysOf(secret) }, identifier: 'x' },
  })
  await writeFile(at('secret'), `${secret}\n`)
  await writeFile(at('body'), body)
  await writeFile(at('headers'), JSON.stringify(headers))
  const files = ['--secret-file', at('secret'), '--body', at('body'), '--headers', at('headers')]
  const valid = await muster(['webhooks', 'verify', ...files, '--any-age'])
  assert.equal(valid.exit, 0, valid.err)
  assert.match(valid.out, /^Valid\.\nIt was signed \d+ seconds ago\.\nThe webhook-signature is right\./)
  const replayed = await muster(['webhooks', 'verify', ...files])
  assert.equal(replayed.exit, 1)
  assert.match(replayed.out, /^Not valid\.\nIt was signed \d+ seconds ago, which is more than 300/)
  const flags = ['--id', 'x', '--authorization', headers['authorization'] ?? '']
  const other = await muster(['webhooks', 'verify', ...files, '--any-age', ...flags])
  assert.deepEqual([other.exit, other.out.split('\n')[1]?.slice(0, 30)], [1, 'The webhook-signature is wrong'])
  const absent = await muster(['webhooks', 'verify', '--secret-file', at('none'), '--body', at('body')])
  assert.equal(absent.exit, 2)
  assert.match(absent.err, /^Cannot read .*none/)
})

test('a webhook endpoint is made and changed with what flags and files give', async (t) => {
  const folder = await makeFolder(t)
  const env = { MUSTER_DATA_DIR: join(folder, 'data') }
  const headers = join(folder, 'headers')
  await writeFile(headers, 'X-Tenant: acme\nx-key: s3cret\n')
  await muster(['organizations', 'create', 'Acme', '--without-checks'], env)
  const url = 'https://hooks.acme.example/p'
  const flags = ['-e', 'issues.new', 'devices.created', '--headers-file', headers, '--disabled', '--json']
  const added = await muster(['webhooks', 'add', url, ...flags], env)
  assert.equal(added.exit, 0, added.err)
  const { id, secret, events, enabled, custom_headers: custom } = JSON.parse(added.out)
  assert.match(secret, /^whsec_/)
  const shown = { 'x-key': '********', 'x-tenant': '********' }
  assert.deepEqual([events, enabled, custom], [['devices.created', 'issues.new'], false, shown])
  const edit = ['webhooks', 'edit', id, '-e', 'issues.new', '--no-headers', '--description', 'Tickets']
  assert.equal((await muster(edit, env)).out, `Webhook endpoint ${id} is changed\n`)
  const listed = JSON.parse((await muster(['webhooks', 'list', '--json'], env)).out)
  assert.deepEqual(
    [listed.url, listed.events, listed.custom_headers, listed.description],
    [url, ['issues.new'], {}, 'Tickets'],
  )
  const wrong = await muster(['webhooks', 'add', 'http://acme.example', '-e', 'issues.new'], env)
  assert.deepEqual([wrong.exit, wrong.err.includes('url must begin with https://')], [2, true])
  assert.equal((await muster(['webhooks', 'add', url, '-e', 'devices.exploded'], env)).exit, 2)
})

test('a test of an endpoint names an event that there is', async () => {
  const { exit, err } = await muster(['webhooks', 'test', '1', '--event', 'devices.stolen'])
  assert.equal(exit, 2)
  assert.match(err, /'devices\.stolen' is invalid.*devices\.created.*webhook\.test/s)
})

test('a selftest of a companion needs no server, and ends with 1 where there is something to look at', async (t) => {
  const folder = await makeFolder(t)
  const file = join(folder, 'companion.json')
  const { exit, out, err } = await muster(['companion', 'selftest', '--file', file, '--osqueryi', join(folder, 'none')])
  assert.deepEqual({ exit, err }, { exit: 1, err: '' })
  assert.match(out, /^\| muster-companion selftest +\| .* UTC +\| +\|\n\| -+ \| -+ \| -+ \|\n/)
  const key = out.split('\n').find((line) => line.startsWith('| Key ')) ?? assert.fail(out)
  assert.match(key, new RegExp(`^\\| Key +\\| ${file} is not there: no companion has run here +\\| LOOK \\|$`))
  assert.match(out, /^\| osquery +\| no answer by \S+none +\| LOOK \|$/m)
})
