import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDistributedWork } from './distributed.ts'
import { interpretAnswer } from './interpret-answer.ts'
import { makeLogBuffer } from './log-buffer.ts'
import { backOffMs } from './pauses.ts'
import { optionMs, readConfig } from './read-config.ts'
import { differentialLines, snapshotLine } from './result-lines.ts'

test('only the body tells what an answer means', () => {
  const cases: [status: number, body: string, kind: string][] = [
    [200, '{}', 'accepted'],
    [500, '', 'accepted'],
    [404, ' \n', 'accepted'],
    [500, '{"queries":{}}', 'accepted'],
    [200, '{"error":null}', 'refused'],
    [200, '{"error":"x","node_invalid":false}', 'refused'],
    [200, '<html>', 'refused'],
    [200, '[]', 'refused'],
    [200, '"text"', 'refused'],
    [200, 'null', 'refused'],
    [200, '{"node_invalid":true}', 'node_invalid'],
    [401, '{"error":"x","node_invalid":true}', 'node_invalid'],
    [200, '{"node_invalid":"true"}', 'accepted'],
    [200, '{"node_invalid":1}', 'accepted'],
  ]
  for (const [status, body, kind] of cases) assert.equal(interpretAnswer(status, body).kind, kind, `${status} ${body}`)
})

test('pauses grow with the square of the attempt up to the cap', () => {
  assert.deepEqual(
    [1, 2, 3, 30].map((attempt) => backOffMs(attempt, 600, 1000)),
    [1_000, 4_000, 9_000, 600_000],
  )
})

test('the schedule keeps what this platform can run', () => {
  const entry = (more: object) => ({ query: 'SELECT 1', interval: 60, ...more })
  const { schedule, options } = readConfig(
    {
      options: { distributed_interval: 63, disable_distributed: false, odd: { a: 1 }, text: '5' },
      schedule: {
        plain: entry({ snapshot: true }),
        ours: entry({ platform: 'darwin, linux' }),
        posix: entry({ platform: 'posix', interval: '30' }),
        windows: entry({ platform: 'windows' }),
        never: entry({ interval: 0 }),
        long: entry({ interval: 604_801 }),
        empty: entry({ query: ' ' }),
        broken: null,
      },
    },
    'linux',
  )
  assert.deepEqual(
    [...schedule],
    [
      ['plain', { query: 'SELECT 1', intervalSeconds: 60, snapshot: true }],
      ['ours', { query: 'SELECT 1', intervalSeconds: 60, snapshot: false }],
      ['posix', { query: 'SELECT 1', intervalSeconds: 30, snapshot: false }],
    ],
  )
  assert.deepEqual(options, { distributed_interval: '63', disable_distributed: 'false', text: '5' })
  assert.equal(optionMs(options, 'distributed_interval', 60, 1000), 63_000)
  assert.equal(optionMs({ distributed_interval: '0' }, 'distributed_interval', 60, 1000), 60_000)
  assert.equal(optionMs({ distributed_interval: 'soon' }, 'distributed_interval', 60, 1000), 60_000)
})

test('of a read only texts count as queries and only an integer accelerates', () => {
  const work = readDistributedWork({ queries: { a: 'SELECT 1', b: '', c: 7, '': 'SELECT 2' }, accelerate: '30' })
  assert.deepEqual(work, { queries: [['a', 'SELECT 1']], discovery: new Map(), accelerateSeconds: 0 })
  assert.equal(readDistributedWork({ accelerate: 30 }).accelerateSeconds, 30)
  assert.deepEqual(readDistributedWork({ queries: null }).queries, [])
})

const head = { hostIdentifier: 'host', now: new Date('2025-10-14T10:00:00Z') }

test('an empty snapshot is a line with an empty set', () => {
  assert.deepEqual(JSON.parse(snapshotLine(head, 'report/1/v1', [])), {
    name: 'report/1/v1',
    hostIdentifier: 'host',
    calendarTime: 'Tue Oct 14 10:00:00 2025 UTC',
    unixTime: 1_760_436_000,
    epoch: 0,
    counter: 0,
    numerics: false,
    decorations: {},
    action: 'snapshot',
    snapshot: [],
  })
})

test('a differential query sends its full set once and then what changed', () => {
  const seen = (lines: string[]) =>
    lines.map((line) => {
      const { action, counter, columns } = JSON.parse(line) as {
        action: string
        counter: number
        columns: { a: string }
      }
      return `${action} ${columns.a} ${counter}`
    })
  const first = differentialLines(head, 'q', [{ a: '1' }, { a: '2' }], undefined)
  assert.deepEqual(seen(first.lines), ['added 1 0', 'added 2 0'])
  const same = differentialLines(head, 'q', [{ a: '2' }, { a: '1' }], first.next)
  assert.deepEqual(same.lines, [])
  const changed = differentialLines(head, 'q', [{ a: '2' }, { a: '3' }], same.next)
  assert.deepEqual(seen(changed.lines), ['removed 1 1', 'added 3 1'])
})

test('the log buffer offers the same first lines until they are dropped', () => {
  const logs = makeLogBuffer()
  for (const line of ['1', '2', '3']) logs.add('result', line)
  assert.deepEqual(logs.first('result', 2, 100), ['1', '2'])
  assert.deepEqual(logs.first('result', 2, 100), ['1', '2'])
  assert.deepEqual(logs.first('result', 3, 2), ['1', '2'])
  logs.drop('result', ['1', '2'])
  assert.deepEqual(logs.first('result', 2, 100), ['3'])
  assert.equal(logs.waiting('status'), 0)
})

test('a full log buffer loses its oldest lines', () => {
  const logs = makeLogBuffer({ lines: 3, characters: 8 })
  for (const line of ['aaa', 'bbb', 'ccc']) logs.add('result', line)
  assert.deepEqual(logs.first('result', 9, 100), ['bbb', 'ccc'])
  logs.add('result', 'a line longer than all')
  assert.equal(logs.waiting('result'), 1)
  for (const line of ['1', '2', '3', '4']) logs.add('status', line)
  assert.deepEqual(logs.first('status', 9, 100), ['2', '3', '4'])
})
