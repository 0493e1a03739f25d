import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type FieldFault, unreached } from '../api/api-error.ts'
import { fieldFaults } from './field-faults.ts'
import { fieldInWords } from './field-in-words.ts'

const refusal = (...faults: FieldFault[]) =>
  new ApiError({
    ...{ status: 422, code: 'invalid', message: 'Some fields are not valid', faults },
    ...{ requestId: undefined, retryAfterSeconds: undefined },
  })

test('what a form has no field for is said beside its button, and what a field says is not said twice', () => {
  const error = refusal(
    { field: 'name', message: 'must not be blank' },
    { field: 'issuer', message: 'does not answer' },
    { field: 'redirect_uris/0', message: 'must be https' },
    { field: 'redirect_uris/1', message: 'must have no fragment' },
  )
  const { faultOf, faultBeside } = fieldFaults(error)
  assert.equal(faultOf('name'), 'must not be blank')
  assert.equal(faultOf('redirect_uris') ?? faultOf('redirect_uris/0'), 'must be https')
  assert.equal(faultOf('client_id'), undefined)
  assert.equal(faultBeside(), 'Issuer does not answer. Redirect URIs must have no fragment')
})

test('a sentence stands after the name of its field', () => {
  const { faultBeside } = fieldFaults(refusal({ field: 'url', message: 'Slack cannot read these requests.' }))
  assert.equal(faultBeside(), 'URL: Slack cannot read these requests')
})

test('each drawing of a form counts by itself', () => {
  const error = refusal({ field: 'issuer', message: 'does not answer' })
  const shown = fieldFaults(error)
  shown.faultOf('issuer')
  assert.equal(shown.faultBeside(), undefined)
  assert.equal(fieldFaults(error).faultBeside(), 'Issuer does not answer')
})

test('a field says what the form itself lacks first', () => {
  const { faultOf, faultBeside } = fieldFaults(refusal({ field: 'name', message: 'is taken' }))
  assert.equal(faultOf('name', 'Enter a name'), 'Enter a name')
  assert.equal(faultBeside(), undefined)
})

test('a part of a form says what is wrong within it, the second beside the button', () => {
  const faults = ['targeted_groups/0', 'targeted_groups/3', 'targeted'].map((field) => ({
    field,
    message: 'is unknown',
  }))
  const { faultIn, faultBeside } = fieldFaults(refusal(...faults))
  assert.equal(faultIn('targeted_groups'), 'is unknown')
  assert.equal(faultBeside(), 'Targeted groups is unknown. Targeted is unknown')
})

test('a refusal without fields is said as it is, and none where nothing was refused', () => {
  assert.equal(fieldFaults(unreached()).faultBeside(), 'The server did not answer. Check your connection.')
  assert.equal(fieldFaults(new Error('The keys are no JWK set')).faultBeside(), 'The keys are no JWK set')
  assert.equal(fieldFaults(null).faultBeside(), undefined)
  assert.equal(fieldFaults(refusal({ field: '', message: 'Send a body' })).faultBeside(), 'Send a body')
})

test('names of fields become words', () => {
  const names = ['client_id', 'delivery/endpoint_url', 'redirect_uris/0', 'refused_count', 'email', 'sql', 'aud']
  assert.deepEqual(names.map(fieldInWords), [
    ...['Client ID', 'Delivery endpoint URL', 'Redirect URIs', 'Refused count', 'E-mail', 'SQL', 'Audience'],
  ])
})
