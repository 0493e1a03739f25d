import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueQueries, parseConfig } from './config-plan.ts'

const hour = 3_600_000
const device = { seed: 1, index: 9, platform: 'linux' as const }

const config = {
  options: { distributed_interval: 30, logger_tls_period: '10', logger_tls_max_lines: 5, pack_delimiter: '/' },
  decorators: { load: ['SELECT uuid AS host_uuid FROM system_info'] },
  schedule: {
    'report/1/v1': { query: 'SELECT 1', interval: 3600, snapshot: true, platform: 'linux' },
    'report/2/v1': { query: 'SELECT 2', interval: 60, platform: 'darwin,windows' },
    'report/3/v1': { query: 'SELECT 3', interval: '600', platform: 'posix' },
    broken: { query: 3, interval: 60 },
  },
  packs: { extra: { platform: 'linux', queries: { four: { query: 'SELECT 4', interval: 60, snapshot: true } } } },
}

test('intervals follow the configuration where the run does not set them', () => {
  assert.deepEqual(parseConfig({}, {}).intervals, { configMs: 300_000, distributedMs: 60_000, logMs: 60_000 })
  const plan = parseConfig(config, { logMs: 250 })
  assert.deepEqual(plan.intervals, { configMs: 300_000, distributedMs: 30_000, logMs: 250 })
  assert.equal(plan.linesPerLog, 5)
  assert.deepEqual(plan.decoratorQueries, ['SELECT uuid AS host_uuid FROM system_info'])
})

test('a device that never reported owes every query of its platform, packs included', () => {
  const due = dueQueries(parseConfig(config, {}), device, -1, 0)
  assert.deepEqual(
    due.map(({ name, isSnapshot }) => [name, isSnapshot]),
    [
      ['report/1/v1', true],
      ['report/3/v1', false],
      ['pack/extra/four', true],
    ],
  )
})

test('a scheduled query comes due once per interval, however the log periods fall', () => {
  const plan = parseConfig(config, {})
  const counts: Record<string, number> = {}
  for (let atMs = 0; atMs < 10 * hour; atMs += 61_000) {
    for (const { name } of dueQueries(plan, device, atMs, atMs + 61_000)) counts[name] = (counts[name] ?? 0) + 1
  }
  assert.equal(counts['report/1/v1'], 10)
  assert.ok(Math.abs((counts['report/3/v1'] ?? 0) - 60) <= 1)
})

test('a shard reaches its share of the devices', () => {
  const plan = parseConfig({ schedule: { sharded: { query: 'SELECT 1', interval: 60, shard: 25 } } }, {})
  const reached = Array.from({ length: 4000 }, (_, index) => dueQueries(plan, { ...device, index }, -1, 0).length)
  const share = reached.filter((count) => count > 0).length / 4000
  assert.ok(Math.abs(share - 0.25) < 0.03, `${share}`)
})
