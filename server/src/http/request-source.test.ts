import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../test/support/app.ts'
import { makeIn } from '../../test/support/make.ts'
import { createLogger } from '../base/logging.ts'
import { logRequests } from './request-log.ts'

const logged: Record<string, unknown>[] = []
const log = createLogger('info', { write: (line: string) => void logged.push(JSON.parse(line)) })
const app = testApp({ addRoutes: (scope) => logRequests(scope, log) })
const make = makeIn(app)

beforeEach(async () => {
  await app.reset()
  logged.length = 0
})

/** Configures a check, by a request with these headers; returns its id, and the entry and the line that it left. */
async function configure(checkId: string, days: number, headers: Record<string, string> = {}) {
  const body = { block_auth_grace_period_days: days }
  const answer = await app.ask('PATCH', `/checks/${checkId}/configurations`, { body, headers })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const entries = app.db
    .selectFrom('audit_logs')
    .select(['cause', 'request_id'])
    .where('action', '=', 'check.configured')
  const entry = await entries.orderBy('id', 'desc').executeTakeFirstOrThrow()
  const [line] = logged.splice(0)
  return { id: answer.headers['x-request-id'], entry, line }
}

test('the entry and the line of a request have its cause, which is its id unless the caller has chosen that', async () => {
  const { id } = await make.check(app.tenant.organizationId)
  const first = await configure(id, 1)
  assert.deepEqual(first.entry, { cause: first.id, request_id: first.id })
  assert.deepEqual([first.line?.['cause'], first.line?.['request_id']], [first.id, first.id])
  const chosen = { 'x-request-id': 'ticket-4711' }
  const [second, third] = [await configure(id, 2, chosen), await configure(id, 3, chosen)]
  for (const { id: answered, entry, line } of [second, third]) {
    assert.deepEqual([answered, entry.request_id, line?.['request_id']], ['ticket-4711', 'ticket-4711', 'ticket-4711'])
    assert.match(entry.cause ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(line?.['cause'], entry.cause)
  }
  assert.notEqual(second.entry.cause, third.entry.cause)
})
