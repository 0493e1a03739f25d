import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import Fastify from 'fastify'
import { processorMs } from '../../test/support/processor-time.ts'
import { createLogger } from './logging.ts'
import { generateKey, generateToken } from './secrets/token-format.ts'
import { tokenPrefixes } from './secrets/token-prefixes.ts'

function makeLogger(level = 'info') {
  const lines: string[] = []
  const logger = createLogger(level, { write: (line) => void lines.push(line) })
  return { logger, text: () => lines.join(''), entries: () => lines.map((line) => JSON.parse(line)) }
}

test('an entry is one line of JSON with its level by name and an ISO time', () => {
  const { logger, entries } = makeLogger()
  logger.warn({ device_id: '42' }, 'a device is late')
  const [{ time, ...rest }] = entries()
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, { level: 'warn', device_id: '42', msg: 'a device is late' })
})

test('entries below the level are not written', () => {
  const { logger, entries } = makeLogger('error')
  logger.info('quiet')
  logger.error('loud')
  assert.deepEqual(
    entries().map(({ msg }) => msg),
    ['loud'],
  )
})

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })

const plantings: Record<string, (logger: ReturnType<typeof makeLogger>['logger'], planted: string) => void> = {
  'a field': (logger, planted) => logger.info({ node_key: planted }),
  'a header': (logger, planted) => logger.info({ headers: { Authorization: planted, 'set-cookie': [planted] } }),
  'a field deep inside': (logger, planted) => logger.info({ a: [{ b: { enroll_secret: planted } }] }),
  'a camel-case field': (logger, planted) => logger.info({ pollToken: planted, adminPassword: { x: planted } }),
  'a child logger': (logger, planted) => logger.child({ secret: planted }).info('hello'),
  'a message with an authorization': (logger, planted) => logger.info(`sent authorization: Bearer ${planted}`),
  'a URL with a password': (logger, planted) => logger.info(`cannot reach postgres://muster:${planted}@db/muster`),
  'a URL with a query': (logger, planted) => logger.info({ url: `/a?page=1&enroll_secret=${planted}&b=2` }),
  'JSON in a string': (logger, planted) => logger.info({ body: JSON.stringify({ a: 1, token: planted, b: 2 }) }),
  'JSON in JSON in a string': (logger, planted) =>
    logger.info({ body: JSON.stringify({ inner: JSON.stringify({ password: `${planted}"${planted}` }) }) }),
  'a field of an error': (logger, planted) => logger.error(Object.assign(new Error('no'), { api_key: planted })),
  'a field of a cause': (logger, planted) =>
    logger.error(new Error('no', { cause: new Error(`at https://u:${planted}@db/`) })),
  bytes: (logger, planted) => logger.info({ sealed: Buffer.from(planted) }),
}

for (const [where, plant] of Object.entries(plantings)) {
  test(`a secret does not show in ${where}`, () => {
    const { logger, text, entries } = makeLogger()
    plant(logger, 'planted0123456789')
    assert.ok(!text().includes('planted'), text())
    assert.match(text(), /\[secret\]|bytes\]/)
    assert.equal(entries().length, 1)
  })
}

test('what looks like one of our secrets does not show, wherever it stands', () => {
  const { logger, text, entries } = makeLogger()
  const tokens = [
    ...tokenPrefixes.map((prefix) => generateToken(prefix)),
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_2G3%2FzIVMfKQ9r8GKYqrTwjUPD8ILPZI%2Bo2',
    'mstr_at_MfKQ9r8GKY-qrTwjUPD_8ILPZIo2',
    String(pem),
  ]
  for (const token of tokens) {
    logger.info(token)
    logger.info(`before ${token}, after`)
    logger.info({ [token]: [token], note: { text: `"${token}"` } }, 'x')
    logger.error(new Error(token))
    logger.child({ path: token }).info('child')
  }
  const secretPart = /[0-9A-Za-z]{30}|PRIVATE|MfKQ9r|qrTwj/
  for (const line of text().split('\n')) assert.doesNotMatch(line, secretPart)
  assert.equal(entries().length, tokens.length * 5)
})

test('a null secret stays null, and ordinary words stay readable', () => {
  const { logger, entries } = makeLogger()
  logger.info({ secret: null, tokens_left: 3, keyboard: 'qwerty', basic: 'Basic' }, 'Basic facts of a secretary')
  const [{ time: _, msg, ...fields }] = entries()
  assert.deepEqual(fields, { level: 'info', secret: null, tokens_left: 3, keyboard: 'qwerty', basic: 'Basic' })
  assert.ok(msg.endsWith('of a secretary'))
})

test('a secret that ends in a backslash spoils neither its line nor its hiding', () => {
  const { logger, text, entries } = makeLogger()
  logger.info({ body: JSON.stringify({ token: 'planted\\\\' }), next: 'kept' })
  logger.child({ token: 'planted\\\\', next: 'kept' }).info('x')
  assert.ok(!text().includes('planted'), text())
  assert.deepEqual(
    entries().map(({ next }) => next),
    ['kept', 'kept'],
  )
})

test('hostile texts cost time linear in their length', async () => {
  const { logger, entries } = makeLogger()
  const parts = [
    'a',
    'token',
    'token=',
    'token\\"',
    '"token":',
    '://',
    'a://b:',
    'Bearer ',
    '-----BEGIN PRIVATE KEY-----',
    '\\',
    'mstr_',
  ]
  const ms = await processorMs(() => {
    for (const part of parts) logger.info(part.repeat(500_000 / part.length))
  })
  assert.ok(ms < 4_000, `${ms} ms`)
  assert.equal(entries().length, parts.length)
})

test('deep, endless and odd values do no harm', () => {
  const { logger, entries } = makeLogger()
  const loop: Record<string, unknown> = { when: new Date(0), big: 10n, map: new Map([['a', 1]]) }
  loop['self'] = loop
  logger.info({ loop }, 'round')
  assert.equal(entries()[0].loop.when, '1970-01-01T00:00:00.000Z')
  assert.equal(entries()[0].msg, 'round')
})

test('requests are logged by Fastify without headers and without secrets in their query', async (t) => {
  const { logger, text, entries } = makeLogger()
  const app = Fastify({ loggerInstance: logger })
  t.after(() => app.close())
  app.get('/fails', () => {
    throw Object.assign(new Error('planted-in-message=no'), { token: 'planted-in-error' })
  })
  const headers = { authorization: `Bearer ${generateKey()}`, cookie: 'sid=planted-in-cookie' }
  await app.inject({ url: '/fails?token=planted-in-query', headers })
  assert.ok(!/planted-in-(error|cookie|query)|mstr_v1_[0-9A-Za-z]/.test(text()), text())
  const request = entries().find(({ req }) => req)
  assert.equal(request.req.method, 'GET')
  assert.equal(request.req.url, '/fails?token=[secret]')
})
