import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WhoAmI } from '@muster/contract/organizations.ts'
import { testApp } from '../../../test/support/app.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { setFeature } from './set-feature.ts'

const now = '2026-11-20T10:00:00.000Z'

const trial = testApp({
  addRoutes(app) {
    const common = { path: '/trial_reports', summary: 'Try', tag: 'Trial', answer: WhoAmI } as const
    const run = async () => ({ organization_id: '0', organization_name: 'None' })
    endpoint(app, { ...common, method: 'GET', operationId: 'readTrial', permission: 'read', feature: 'reporting', run })
    endpoint(app, { ...common, method: 'POST', operationId: 'writeTrial', permission: 'remove_devices', run })
  },
})
const { ask, addTenant } = trial

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

test('a feature that is switched off answers 401 until it is switched on again', async () => {
  const { organizationId, key } = await addTenant('Initech')
  const setTo = (isOn: boolean) =>
    transact(trial.db, (tx) => setFeature(tx, { feature: 'reporting', isOn }, systemChange(organizationId, now)))
  const askReporting = () => ask('GET', '/trial_reports', { key })
  assert.equal((await askReporting()).status, 200)
  assert.equal(await setTo(false), true)
  assert.equal(await setTo(false), false)
  const { status, body } = await askReporting()
  const message = 'The feature Reporting is not available to the organization.'
  assert.deepEqual([status, body], [401, { error: 'feature_unavailable', message }])
  assert.equal((await ask('GET', '/trial_reports')).status, 200, 'other organizations keep theirs')
  assert.equal(await setTo(true), true)
  assert.equal((await askReporting()).status, 200)
  const { data } = (await ask('GET', '/audit_logs?per_page=2', { key })).body
  assert.deepEqual(
    data.map(({ description }: { description: string }) => description),
    ['Switched on the feature "Reporting".', 'Switched off the feature "Reporting".'],
  )
})

test('without the write API every permission is worth nothing, and reading still works', async () => {
  const { organizationId, key } = await addTenant('Hooli')
  await transact(trial.db, (tx) =>
    setFeature(tx, { feature: 'write_api', isOn: false }, systemChange(organizationId, now)),
  )
  const { status, body } = await ask('POST', '/trial_reports', { key })
  const message = 'The feature Write API is not available to the organization.'
  assert.deepEqual([status, body], [401, { error: 'feature_unavailable', message }])
  assert.equal((await ask('GET', '/whoami', { key })).status, 200)
})

test('a feature of an organization that never was cannot be switched', async () => {
  const change = { feature: 'ssf', isOn: false } as const
  await assert.rejects(
    transact(trial.db, (tx) => setFeature(tx, change, systemChange('999', now))),
    { code: 'not_found' },
  )
})
