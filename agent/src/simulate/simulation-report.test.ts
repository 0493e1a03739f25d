import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatElapsed, formatReport } from './simulation-report.ts'

const latency = { count: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 }

test('the report is a page of aligned figures', () => {
  const text = formatReport({
    seed: 7,
    devices: 1000,
    devicesEnrolled: 998,
    elapsedMs: 95_000,
    requests: 24_310,
    requestsPerSecond: 255.9,
    enrolled: 1000,
    lastEnrolledMs: 61_400,
    reEnrolled: 3,
    configs: 1003,
    reads: 21_000,
    idleReads: 19_500,
    writes: 1500,
    queriesAnswered: 30_000,
    checksAnswered: 29_000,
    logs: 800,
    logLines: 4100,
    duplicates: 12,
    resent: 1,
    flips: 410,
    failingShare: 0.0712,
    errors: { 'read: timeout': 2, 'write: error_answer': 1 },
    statuses: { 503: 1 },
    latencies: {
      enroll: latency,
      config: latency,
      read: { count: 21_000, p50Ms: 1.25, p95Ms: 8, p99Ms: 12.4, maxMs: 1204 },
      write: latency,
      log: latency,
    },
    lag: latency,
    connectionsOpened: 64,
    processorShare: 0.314,
    residentMegabytes: 151.2,
  })
  assert.deepEqual(text.split('\n'), [
    'Simulated 1,000 devices (seed 7) for 01:35',
    '  enrolled       998 now; 1,000 new, 3 again; the last new one after 01:01',
    '  requests       24,310 answered, 256 per second',
    '  configurations 1,003',
    '  reads          21,000, of which idle 19,500',
    '  writes         1,500 with 30,000 results (29,000 of checks)',
    '  logs           800 with 4,100 lines',
    '  checks         7.1 % failing, 410 flips seen',
    '  sent twice     12 on purpose, 1 after a broken connection',
    '  connections    64 opened',
    '  this process   0.31 cores, 151 MB resident',
    '',
    '  ms            count      p50      p95      p99      max',
    '  enroll            0      0.0      0.0      0.0      0.0',
    '  config            0      0.0      0.0      0.0      0.0',
    '  read         21,000      1.3      8.0       12    1,204',
    '  write             0      0.0      0.0      0.0      0.0',
    '  log               0      0.0      0.0      0.0      0.0',
    '  started late      0      0.0      0.0      0.0      0.0',
    '',
    '  errors:',
    '    read: timeout            2',
    '    write: error_answer      1',
    '  statuses other than 200:',
    '    503                      1',
  ])
})

test('elapsed time has hours only from the first hour on', () => {
  assert.equal(formatElapsed(35_900), '00:35')
  assert.equal(formatElapsed(3_599_000), '59:59')
  assert.equal(formatElapsed(3_661_000), '1:01:01')
})
