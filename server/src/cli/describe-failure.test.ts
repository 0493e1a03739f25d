import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '../base/config/config-error.ts'
import { ServiceError } from '../base/errors.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { describeFailure } from './describe-failure.ts'

test('each kind of failure has its exit code and a message for people', () => {
  const refused = new AggregateError([
    new Error('connect ECONNREFUSED ::1:1'),
    new Error('connect ECONNREFUSED 127.0.0.1:1'),
  ])
  const cases: [error: unknown, exitCode: number, text: RegExp][] = [
    [new CommandError(exitCodes.database, 'cannot open'), 4, /^cannot open$/],
    [new ConfigError([{ name: 'PORT', message: 'must be a whole number' }]), 3, /PORT: must be a whole number/],
    [new ServiceError('not_found'), 5, /no such record/],
    [new ServiceError('invalid', { message: 'the name is taken' }), 1, /^the name is taken$/],
    [new Error('broken'), 1, /^broken$/],
    [refused, 1, /^connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127/],
    ['text', 1, /^text$/],
  ]
  for (const [error, exitCode, text] of cases) {
    const described = describeFailure(error)
    assert.equal(described.exitCode, exitCode)
    assert.match(described.text, text)
  }
})
