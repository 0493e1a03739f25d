import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { noteDatabaseError } from '../base/db/database-errors.ts'
import { createLogger } from '../base/logging.ts'
import { isDatabaseAway } from '../http/database-unavailable.ts'
import { type OutageLog, sayOutagesOnce } from './outage-log.ts'

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
noteDatabaseError(away)
let opened: OutageLog | undefined
afterEach(() => opened?.stop())

function openLog(look: () => Promise<string | undefined>, level = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = createLogger(level, { write: (line) => void lines.push(JSON.parse(line)) })
  opened = sayOutagesOnce({ log, isDatabaseAway, look, lookEveryMs: 10 })
  return { log: opened.log, lines, texts: () => lines.map(({ msg }) => msg) }
}

const began = 'The database cannot be used: what fails for it is only counted until it can be used again'
const ended = 'The database can be used again'

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('an outage is one line when it begins and one with counts when it is over, and what else happens is logged', async () => {
  let answer: () => Promise<string | undefined> = () => Promise.reject(away)
  const { log, lines, texts } = openLog(() => answer())
  log.warn({ request_id: 'first', err: away }, 'request failed')
  log.error({ request_id: 'first', status: 503 }, 'request')
  for (let times = 0; times < 3; times += 1) {
    log.warn({ request_id: times, err: away }, 'request failed')
    log.error({ request_id: times, status: 503 }, 'request')
  }
  log.error({ err: new Error('The job purge-devices failed', { cause: away }) }, 'A background job failed')
  log.warn({ check: 'database', err: away }, 'health check failed')
  log.error({ request_id: 'other', err: new Error('A fault of ours') }, 'request failed')
  log.info({ status: 200 }, 'request')
  assert.deepEqual(texts(), [began, 'request failed', 'request'])
  assert.equal(lines[0]?.['request_id'], 'first')

  answer = async () => 'The database is a standby and refuses writes. Connect to the primary.'
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(texts().includes(ended), false)
  answer = async () => undefined
  await until(() => texts().includes(ended))
  const { seconds, refused_requests, other_failures } = lines.at(-1) ?? {}
  assert.deepEqual([typeof seconds, refused_requests, other_failures], ['number', 4, 2])

  log.error({ status: 503 }, 'request')
  log.warn({ err: away }, 'request failed')
  assert.deepEqual(texts().slice(-2), ['request', began])
})

test('a statement that takes too long is no outage', () => {
  const { log, texts } = openLog(() => Promise.reject(away))
  for (const code of ['57014', '55P03'])
    log.warn({ err: Object.assign(new Error('canceled'), { code }) }, 'request failed')
  log.error({ status: 503 }, 'request')
  assert.deepEqual(texts(), ['request failed', 'request failed', 'request'])
})

test('an identity provider that is away is no outage of the database', () => {
  const { log, texts } = openLog(async () => undefined)
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  log.warn({ err: new TypeError('fetch failed', { cause }) }, 'signing in through the identity provider failed')
  assert.deepEqual(texts(), ['signing in through the identity provider failed'])
})

test('at debug level each line is there', () => {
  const { log, texts } = openLog(() => Promise.reject(away), 'debug')
  log.warn({ err: away }, 'request failed')
  log.warn({ err: away }, 'request failed')
  assert.deepEqual(texts(), [began, 'request failed', 'request failed'])
})
