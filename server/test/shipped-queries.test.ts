import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { testApp } from './support/app.ts'
import { documentedMetrics } from './support/documented-metrics.ts'
import { deployFolder, queriesOf, readAlerts, readDashboards } from './support/shipped-queries.ts'

const app = testApp({ hasAgents: true })

async function shippedQueries() {
  const alerts = (await readAlerts()).map(({ name, text }) => ({ where: name, expr: text }))
  return [...queriesOf(await readDashboards()), ...alerts]
}

test('dashboards and alerts ask for metrics that a server has and docs/metrics.md names', async () => {
  const documented = await documentedMetrics()
  const served = (await app.app.inject({ url: '/metrics' })).body
  const queries = await shippedQueries()
  assert.ok(queries.length > 60)
  const unknown = queries.flatMap(({ where, expr }) =>
    [...expr.matchAll(/\b(muster|process|nodejs)_\w+/g)]
      .map(([name, kind]) => ({ name: name.replace(/_(?:bucket|sum|count)$/, ''), kind }))
      .filter(({ name, kind }) => !served.includes(`# TYPE ${name} `) || (kind === 'muster' && !documented.has(name)))
      .map(({ name }) => `${where}: ${name}`),
  )
  assert.deepEqual(unknown, [])
})

test('what every process tells alike is not added up, and what each counts is not cut down to one', async () => {
  const documented = await documentedMetrics()
  const wrong = (await shippedQueries()).flatMap(({ where, expr }) =>
    [...expr.matchAll(/\b(sum|max)(?: by \([\w, ]+\))?\s*\((?:\s*(?:rate|increase)\()?\s*(muster_\w+)/g)]
      .filter(([, how, name = '']) => {
        const over = documented.get(name.replace(/_(?:bucket|sum|count)$/, ''))?.over
        return how === 'sum' ? over !== 'sum' : over !== 'maximum'
      })
      .map(([text]) => `${where}: ${text}`),
  )
  assert.deepEqual(wrong, [])
})

test('every panel says what it shows, and takes the Prometheus that was chosen', async () => {
  const dashboards = await readDashboards()
  assert.equal(dashboards.length, 4)
  for (const { schemaVersion, panels } of dashboards) {
    assert.ok(schemaVersion >= 38, 'Grafana 10')
    for (const { title, description = '', datasource, targets } of panels) {
      assert.match(description, /^[A-Z].*\.$/, title)
      assert.equal(datasource.uid, ['$', '{datasource}'].join(''))
      assert.ok(targets.length > 0)
    }
  }
})

test('every alert has a test, and a part of the runbook that says how urgent it is', async () => {
  const alerts = await readAlerts()
  assert.equal(alerts.length, 15)
  const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  const tests = await readFile(`${deployFolder}/prometheus/alerts.test.yaml`, 'utf8')
  const urgency = new Map([...page.matchAll(/^### (Muster\w+)\n\n\*(\w+)\.\*/gm)].map(([, name, how]) => [name, how]))
  assert.deepEqual(
    [...urgency].map(([name, how]) => `${name} ${how?.toLowerCase()}`),
    alerts.map(({ name, severity }) => `${name} ${severity}`),
  )
  for (const { name } of alerts) assert.ok(tests.includes(`alertname: ${name}\n`), name)
})
