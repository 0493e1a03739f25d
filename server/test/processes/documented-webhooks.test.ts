import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { generateSecret } from '../../src/signals/webhooks/endpoint-secret.ts'
import { headersOf, signingKeysOf } from '../../src/signals/webhooks/sign-delivery.ts'
import { freePort, until } from '../support/muster-process.ts'

const page = new URL('../../../docs/webhooks.md', import.meta.url)

type Language = { name: string; file: string; build?: (file: string) => string[]; run: (file: string) => string[] }

/** Where Go has compiled nothing yet it compiles its library: without optimizing that is half of the work. */
const quickly = ['-gcflags=all=-N -l -dwarf=false', '-ldflags=-s -w']

const languages: readonly Language[] = [
  { name: 'node', file: 'receiver.mjs', run: (file) => [process.execPath, file] },
  { name: 'python', file: 'receiver.py', run: (file) => ['python3', file] },
  {
    ...{ name: 'go', file: 'receiver.go' },
    build: (file) => ['go', 'build', ...quickly, '-o', `${file}.out`, file],
    run: (file) => [`${file}.out`],
  },
]

const isThere = (command: string) => {
  const { status, error } = spawnSync(command, [command === 'go' ? 'version' : '--version'], { stdio: 'ignore' })
  return !error && status === 0
}

/** With the home of whoever runs the tests: a compiler keeps there what it has made of its library, which takes long. */
const { PATH } = process.env
const env = { PATH, HOME: homedir(), GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' }

for (const language of languages) {
  const [command = ''] = language.build?.('') ?? language.run('')
  const skip = isThere(command) ? false : `${command} is not installed`
  test(`the ${language.name} receiver of the documentation takes what is signed and refuses the rest`, {
    skip,
  }, async (t) => {
    const secret = generateSecret()
    const { url, output } = await startReceiver(t, language, secret)
    const other = generateSecret()
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const message = webhookExample('issues.new')
    const body = JSON.stringify(message)
    const sign = (current: string, previous?: string, timestampSeconds = nowSeconds) =>
      headersOf({
        ...{ messageId: message.id, body, timestampSeconds, identifier: 'x' },
        keys: { current: signingKeysOf(current), ...(previous !== undefined && { previous: signingKeysOf(previous) }) },
      })
    const send = async (headers: Record<string, string>, sent = body) =>
      (await fetch(url, { method: 'POST', headers, body: sent })).status

    assert.equal(await send(sign(secret)), 204)
    assert.equal(await send(sign(secret)), 204)
    assert.equal(await send(sign(other, secret)), 204, 'while a new secret overlaps with its own')
    assert.equal(await send(sign(secret, other)), 204, 'while its own overlaps with the one before')
    assert.equal(await send(sign(other)), 401)
    assert.equal(await send(sign(secret), body.replace('3018', '3019')), 401)
    assert.equal(await send({ ...sign(secret), 'webhook-id': 'x' }), 401)
    assert.equal(await send(sign(secret, undefined, nowSeconds - 400)), 401)
    assert.equal(await send(sign(secret, undefined, nowSeconds + 400)), 401)
    assert.equal(await send({ ...sign(secret), 'webhook-timestamp': 'noon' }), 401)
    assert.equal(await send({ ...sign(secret), 'webhook-signature': 'v1,AAAA v1 v1,?' }), 401)
    assert.equal(await send({ 'content-type': 'application/json' }), 401)
    await until(10_000, async () => output().includes('issues.new'))
    assert.equal(output().match(/issues\.new/g)?.length, 1, 'a repeat is not acted on')
    assert.ok(output().includes('The disk is not encrypted'))
  })
}

async function startReceiver(t: TestContext, { name, file, build, run }: Language, secret: string) {
  const pattern = new RegExp(
    `<!-- receiver:${name}:start -->\\n\`\`\`\\w+\\n(.*?)\`\`\`\\n<!-- receiver:${name}:end -->`,
    's',
  )
  const [, program = ''] = pattern.exec(await readFile(page, 'utf8')) ?? []
  assert.ok(program.includes('webhook-signature'), 'the page has the program')
  const folder = await mkdtemp(join(tmpdir(), 'muster-receiver-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, file)
  await writeFile(path, program)
  if (build) {
    const [command = '', ...args] = build(path)
    const built = spawnSync(command, args, { env, cwd: folder, encoding: 'utf8' })
    assert.equal(built.status, 0, built.stderr)
  }
  const port = String(await freePort())
  const [command = '', ...args] = run(path)
  const child = spawn(command, args, { env: { ...env, PORT: port, WEBHOOK_SECRET: secret }, cwd: folder })
  t.after(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const url = `http://127.0.0.1:${port}/hooks`
  await until(30_000, () =>
    fetch(url, { method: 'POST' }).then(
      () => true,
      () => child.exitCode !== null && assert.fail(printed),
    ),
  )
  return { url, output: () => printed }
}
