import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../base/errors.ts'
import { dataGroups } from './data-groups.ts'
import { describeFailure } from './describe-failure.ts'
import { nameMissing } from './name-missing.ts'

const ofIdentifiers = '^[0-9]{1,18}$'
const missing = new ServiceError('not_found')
const said = (group: string, command: string, args: object) =>
  describeFailure(nameMissing(missing, group, command, args))

test('a record that is missing is named, with the command that lists what there is', () => {
  const cases: [string, string, object, string][] = [
    ['devices', 'snooze', { id: '999', check: 'disk' }, 'There is no device 999: muster devices list'],
    ['devices', 'merge', { id: '1', other: '2' }, 'There is no device 1, or no device 2: muster devices list'],
    ['devices', 'restore', { id: '7' }, 'There is no deleted device 7.'],
    ['checks', 'delete', { id: '7' }, 'There is no check 7: muster checks list'],
    ['checks', 'releaseHold', { id: '7' }, 'There is no hold 7: muster checks holds list'],
    ['streams', 'delete', { stream: '\u001b[2J' }, 'There is no stream \u{FFFD}[2J: muster streams list'],
    ['organizations', 'rename', { name: 'x' }, 'There is no such record.'],
  ]
  for (const [group, command, args, text] of cases) {
    assert.deepEqual(said(group, command, args), { exitCode: 5, text })
  }
})

test('an error with words of its own keeps them', () => {
  for (const error of [new ServiceError('not_found', { message: 'No.' }), new ServiceError('invalid'), 'x']) {
    assert.equal(nameMissing(error, 'devices', 'snooze', { id: '1' }), error)
  }
})

test('every command that takes an identifier names what it is of', async () => {
  let count = 0
  for (const { describe } of dataGroups) {
    for (const { name: group, commands } of await describe()) {
      for (const [command, described] of Object.entries(commands)) {
        if (typeof described === 'function' || !('properties' in described.args)) continue
        for (const [name, schema] of Object.entries(described.args.properties as object)) {
          if (schema?.pattern !== ofIdentifiers) continue
          count += 1
          const { text } = said(group, command, { [name]: '999' })
          assert.match(
            text,
            /^There is no [a-z ]+ 999(: muster [a-z -]+( <endpoint>)?|\.)$/,
            `${group} ${command} ${name}`,
          )
        }
      }
    }
  }
  assert.ok(count > 40)
})
