import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/support/app.ts'

const { ask, addTenant } = testApp()

test('getWhoAmI tells the organization of the key', async () => {
  const { status, body } = await ask('GET', '/whoami')
  assert.equal(status, 200)
  assert.deepEqual(body, { organization_id: '1', organization_name: 'Acme' })
  const other = await addTenant('Globex')
  assert.deepEqual((await ask('GET', '/whoami', { key: other.readOnlyKey })).body, {
    organization_id: '2',
    organization_name: 'Globex',
  })
})
