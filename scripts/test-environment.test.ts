import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment } from './test-environment.ts'

test('settings of the product do not reach the tests, settings of the tests do', () => {
  const env = {
    PATH: '/bin',
    DATABASE_URL: 'postgres://production',
    MUSTER_PORT: '80',
    MUSTER_FUZZ_RUNS: '7',
    MUSTER_HISTORIES: '9',
    MUSTER_CHAOS_SECONDS: '8',
    MUSTER_TEST_DATABASE_URL: 'postgres://test',
    NODE_ENV: 'production',
  }
  assert.deepEqual(testEnvironment(env), {
    PATH: '/bin',
    MUSTER_FUZZ_RUNS: '7',
    MUSTER_HISTORIES: '9',
    MUSTER_CHAOS_SECONDS: '8',
    MUSTER_TEST_DATABASE_URL: 'postgres://test',
    NODE_ENV: 'test',
  })
})
