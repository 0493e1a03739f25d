import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, openTestServer, type Received } from './protocol/test-server.ts'
import { type AgentOptions, runAgent } from './run-agent.ts'

const nodeKey = 'key-of-this-node'
const enrolled = { node_key: nodeKey }
const nothingToDo = { queries: {}, node_invalid: false }
const quick = { secondMs: 5, distributedMs: 20, configMs: 40, loggerMs: 20 }

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-agent-'))
})
after(() => rm(folder, { recursive: true }))

type Replies = Partial<Record<string, (received: Received, count: number) => Answer | object>>

async function withServer(
  replies: Replies,
  use: (server: Awaited<ReturnType<typeof openTestServer>>) => Promise<void>,
) {
  const standard: Replies = {
    enroll: () => enrolled,
    config: () => ({ options: {}, schedule: {} }),
    'distributed/read': () => nothingToDo,
    'distributed/write': () => ({}),
    log: () => ({}),
  }
  const server = await openTestServer((received, count) => {
    const reply = replies[received.path] ?? standard[received.path]
    return reply ? reply(received, count) : { status: 404, body: '{"error":"no such path"}' }
  })
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

function optionsFor(server: { url: string }, more: Partial<AgentOptions> = {}): AgentOptions {
  return {
    server: server.url,
    enrollSecret: 'the-secret',
    intervals: quick,
    log: () => undefined,
    signal: new AbortController().signal,
    ...more,
  }
}

/** Runs the agent until `done` holds, then stops it; fails after 10 s. */
async function runUntil(options: AgentOptions, done: () => boolean): Promise<void> {
  const stop = new AbortController()
  const running = runAgent({ ...options, signal: stop.signal })
  for (let waited = 0; !done(); waited += 10) {
    assert.ok(waited < 10_000, 'the awaited request did not come')
    await sleep(10)
  }
  stop.abort()
  await running
}

test('once enrolls, reads the config, answers one read and ends', async () => {
  const queries = {
    'check/1/v1': "SELECT name, version FROM osquery_info CROSS JOIN (SELECT 'x' AS name)",
    'check/2/v1': 'SELECT * FROM no_such_table',
    'check/3/v1': 'SELECT * FROM alf',
    'check/4/v1': 'SELECT NULL AS empty, 1 AS number',
  }
  await withServer({ 'distributed/read': () => ({ queries }) }, async (server) => {
    await runAgent(optionsFor(server, { once: true }))
    assert.deepEqual(
      server.received.map((each) => each.path),
      ['enroll', 'config', 'distributed/read', 'distributed/write'],
    )
    const [enroll, config, read, write] = server.received
    assert.equal(enroll?.body['enroll_secret'], 'the-secret')
    assert.equal(enroll?.headers['authorization'], undefined)
    const details = enroll?.body['host_details'] as Record<string, Record<string, string>>
    assert.deepEqual(Object.keys(details), ['os_version', 'osquery_info', 'system_info', 'platform_info'])
    assert.equal(details['osquery_info']?.['version'], '0-standin')
    // A machine without an identity of its own, such as a container, is given one.
    assert.equal(enroll?.body['host_identifier'], details['osquery_info']?.['uuid'] || enroll?.body['host_identifier'])
    assert.match(String(enroll?.body['host_identifier']), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.deepEqual(config?.body, { node_key: nodeKey })
    assert.deepEqual(read?.body, { node_key: nodeKey })
    assert.equal(read?.headers['authorization'], `NodeKey ${nodeKey}`)
    assert.match(String(read?.headers['user-agent']), /^muster-agent\//)
    assert.equal(write?.body['node_key'], nodeKey)
    assert.deepEqual(write?.body['queries'], {
      'check/1/v1': [{ name: 'x', version: '0-standin' }],
      'check/2/v1': [],
      'check/3/v1': [],
      'check/4/v1': [{ empty: '', number: '1' }],
    })
    assert.deepEqual(write?.body['statuses'], { 'check/1/v1': 0, 'check/2/v1': 1, 'check/3/v1': 1, 'check/4/v1': 0 })
    assert.deepEqual(write?.body['messages'], {
      'check/1/v1': '',
      'check/2/v1': 'no such table: no_such_table',
      'check/3/v1': 'not collected: alf (a table of macOS)',
      'check/4/v1': '',
    })
    const stats = write?.body['stats'] as Record<string, Record<string, number>>
    assert.deepEqual(Object.keys(stats['check/1/v1'] ?? {}), ['wall_time_ms', 'user_time', 'system_time', 'memory'])
  })
})

test('nothing is written when the read holds no queries', async () => {
  await withServer({}, async (server) => {
    await runAgent(optionsFor(server, { once: true }))
    assert.deepEqual(server.of('distributed/write'), [])
  })
})

test('the node key is kept for this user only and spares the next start an enrollment', async () => {
  await withServer({}, async (server) => {
    const stateFile = join(folder, 'kept', 'node.json')
    await runAgent(optionsFor(server, { once: true, stateFile }))
    assert.equal((await stat(stateFile)).mode & 0o777, 0o600)
    await runAgent(optionsFor(server, { once: true, stateFile }))
    assert.equal(server.of('enroll').length, 1)
    assert.equal(server.of('config').length, 2)
  })
})

test('the node key of another server is not sent to this one', async () => {
  const stateFile = join(folder, 'moved.json')
  await withServer({}, (server) => runAgent(optionsFor(server, { once: true, stateFile })))
  await withServer({ enroll: () => ({ node_key: 'new' }) }, async (server) => {
    await runAgent(optionsFor(server, { once: true, stateFile }))
    assert.deepEqual(server.of('config')[0]?.body, { node_key: 'new' })
    assert.match(await readFile(stateFile, 'utf8'), /"new"/)
  })
})

test('a node key that the server no longer knows is erased and the agent enrolls again', async () => {
  await withServer(
    {
      enroll: (_received, count) => ({ node_key: `key ${count}` }),
      'distributed/read': ({ body }) =>
        body['node_key'] === 'key 1' ? { status: 401, body: '{"error":"gone","node_invalid":true}' } : nothingToDo,
    },
    async (server) => {
      const stateFile = join(folder, 'invalid.json')
      await runUntil(optionsFor(server, { stateFile }), () =>
        server.of('distributed/read').some((each) => each.body['node_key'] === 'key 2'),
      )
      assert.equal(server.of('enroll').length, 2)
      assert.match(await readFile(stateFile, 'utf8'), /key 2/)
    },
  )
})

test('a refused enrollment makes a single run fail with what the server said', async () => {
  const refusal = { status: 401, body: '{"node_invalid":true,"error":"unknown enroll secret"}' }
  await withServer({ enroll: () => refusal }, async (server) => {
    await assert.rejects(runAgent(optionsFor(server, { once: true })), /enrollment failed: unknown enroll secret/)
    assert.equal(server.of('config').length, 0)
  })
})

test('an answer with the key error is tried again, whatever its status', async () => {
  await withServer(
    { config: (_received, count) => (count < 3 ? { status: 200, body: '{"error":null}' } : { options: {} }) },
    async (server) => {
      await runAgent(optionsFor(server, { once: true }))
      assert.equal(server.of('config').length, 3)
    },
  )
})

test('a page of a proxy instead of JSON is tried again and then given up', async () => {
  await withServer({ config: () => ({ status: 502, body: '<html>bad gateway</html>' }) }, async (server) => {
    await assert.rejects(runAgent(optionsFor(server, { once: true })), /not a JSON object \(HTTP 502\)/)
    assert.equal(server.of('config').length, 3)
  })
})

test('an empty body is a success and a JSON object with status 500 too', async () => {
  await withServer(
    { config: () => ({ status: 500, body: '' }), 'distributed/read': () => ({ status: 500, body: '{"queries":{}}' }) },
    async (server) => {
      await runAgent(optionsFor(server, { once: true }))
      assert.deepEqual(
        server.received.map((each) => each.path),
        ['enroll', 'config', 'distributed/read'],
      )
    },
  )
})

test('a redirect is refused: the node key goes nowhere else', async () => {
  await withServer({ config: () => ({ status: 307, body: '{}' }) }, async (server) => {
    await assert.rejects(runAgent(optionsFor(server, { once: true })), /redirects \(HTTP 307\)/)
  })
})

test('a request whose connection breaks is sent again, so the server may see it twice', async () => {
  await withServer(
    { 'distributed/read': (_received, count) => (count === 1 ? 'hang up' : nothingToDo) },
    async (server) => {
      await runAgent(optionsFor(server, { once: true }))
      assert.equal(server.of('distributed/read').length, 2)
      assert.deepEqual(server.of('distributed/read')[0]?.body, server.of('distributed/read')[1]?.body)
    },
  )
})

test('answers that could not be written come with the next write', async () => {
  let reads = 0
  const read = () => {
    reads += 1
    return reads === 1
      ? { queries: { first: 'SELECT 1 AS a' } }
      : reads === 2
        ? { queries: { second: 'SELECT 2 AS b' } }
        : nothingToDo
  }
  await withServer(
    { 'distributed/read': read, 'distributed/write': (_received, count) => (count <= 3 ? { error: 'later' } : {}) },
    async (server) => {
      await runUntil(optionsFor(server), () => server.of('distributed/write').length >= 4)
      assert.deepEqual(server.of('distributed/write')[2]?.body['queries'], { first: [{ a: '1' }] })
      assert.deepEqual(server.of('distributed/write')[3]?.body['queries'], {
        first: [{ a: '1' }],
        second: [{ b: '2' }],
      })
    },
  )
})

test('a query is left out when its discovery query answers no row', async () => {
  const work = {
    queries: { here: 'SELECT 1 AS a', away: 'SELECT 2 AS b' },
    discovery: {
      here: "SELECT 1 FROM osquery_registry WHERE registry = 'table' AND name = 'users' AND active = 1",
      away: "SELECT 1 FROM osquery_registry WHERE registry = 'table' AND name = 'alf' AND active = 1",
    },
  }
  await withServer({ 'distributed/read': () => work }, async (server) => {
    await runAgent(optionsFor(server, { once: true }))
    assert.deepEqual(server.of('distributed/write')[0]?.body['queries'], { here: [{ a: '1' }] })
  })
})

test('accelerate makes the polls come faster for a while', async () => {
  await withServer({ 'distributed/read': () => ({ queries: {}, accelerate: 60 }) }, async (server) => {
    const intervals = { ...quick, secondMs: 10, distributedMs: 60_000 }
    await runUntil(optionsFor(server, { intervals }), () => server.of('distributed/read').length >= 4)
  })
})

test('the interval of the config is followed', async () => {
  await withServer({ config: () => ({ options: { distributed_interval: 2 } }) }, async (server) => {
    const intervals = { secondMs: 10, configMs: 60_000, loggerMs: 60_000 }
    const started = performance.now()
    await runUntil(optionsFor(server, { intervals }), () => server.of('distributed/read').length >= 4)
    assert.ok(performance.now() - started > 3 * 20, 'three intervals of two (short) seconds')
  })
})

test('a scheduled snapshot is sent as one result line, and again after a refusal', async () => {
  const schedule = { 'report/17/v3': { query: "SELECT 'bash' AS name", interval: 3600, snapshot: true } }
  await withServer(
    { config: () => ({ schedule }), log: (_received, count) => (count === 1 ? { error: 'busy' } : {}) },
    async (server) => {
      await runUntil(optionsFor(server), () => server.of('log').length >= 2)
      const [first, second] = server.of('log')
      assert.deepEqual(first?.body, second?.body)
      assert.equal(first?.body['log_type'], 'result')
      const [line] = (first?.body['data'] ?? []) as Record<string, unknown>[]
      const { calendarTime, unixTime, hostIdentifier, ...rest } = line ?? {}
      assert.match(String(calendarTime), /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4} UTC$/)
      assert.equal(typeof unixTime, 'number')
      assert.notEqual(hostIdentifier, '')
      assert.deepEqual(rest, {
        name: 'report/17/v3',
        epoch: 0,
        counter: 0,
        numerics: false,
        decorations: {},
        action: 'snapshot',
        snapshot: [{ name: 'bash' }],
      })
    },
  )
})

test('a scheduled query that fails sends a status line and no result', async () => {
  const schedule = { 'report/9/v1': { query: 'SELECT * FROM alf', interval: 60, snapshot: true } }
  await withServer({ config: () => ({ schedule }) }, async (server) => {
    await runUntil(optionsFor(server), () => server.of('log').length >= 1)
    const [sent] = server.of('log')
    assert.equal(sent?.body['log_type'], 'status')
    const [line] = (sent?.body['data'] ?? []) as Record<string, unknown>[]
    assert.equal(
      line?.['message'],
      'Error executing scheduled query report/9/v1: not collected: alf (a table of macOS)',
    )
    assert.equal(line?.['severity'], 1)
  })
})

test('a stop while the server is silent ends the agent', async () => {
  await withServer({ config: () => 'hang up' }, async (server) => {
    await runUntil(optionsFor(server), () => server.of('config').length >= 2)
  })
})

test('plain http to another machine is refused before anything is sent', async () => {
  const options = optionsFor({ url: 'http://192.0.2.1:8080' }, { once: true })
  await assert.rejects(runAgent(options), /is not https; http is for this machine only/)
})
