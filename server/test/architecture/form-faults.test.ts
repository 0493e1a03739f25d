import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSources } from './read-sources.ts'

const files = (await readSources()).filter(({ path }) => path.startsWith('console/src/') && !path.includes('.test.'))
const forms = files.filter(({ code }) => code.includes('hasForm: true'))
/** They hand the whole action on: a form of `components`, or of each of its callers, shows what was refused. */
const handingOn = /action=\{|export const useSettings/

test('every form shows beside its button what it has no field for', () => {
  assert.ok(forms.length > 50)
  const silent = forms.filter(({ code }) => !code.includes('.faultBeside') && !handingOn.test(code))
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  )
})

test('it is read once the fields are drawn: handed on as a function, never called before', () => {
  const early = files.filter(({ code }) => /(?<!\(\) => |\?\? )\b\w+\.faultBeside\(/.test(code))
  assert.deepEqual(
    early.map(({ path }) => path),
    [],
  )
})

test('no form reads the faults of an error by itself', () => {
  const own = files.filter(({ code }) => /\.faults\.(find|filter|map)\(/.test(code))
  assert.deepEqual(
    own.map(({ path }) => path),
    [],
  )
})
