import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAgentFacts } from '@muster/agent/protocol/agent-state.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { demoCheckDraft } from './demo-check.ts'
import { demoStrategies, madeUpLaptops } from './demo-people.ts'
import { madeUpAnswers, madeUpRunner, profileOf } from './made-up-runner.ts'

const answers = madeUpAnswers(1_795_000_000)
const facts = newAgentFacts()

for (const [index, laptop] of madeUpLaptops.entries()) {
  test(`${laptop.name} fails the checks that it is meant to fail, and no other`, async () => {
    const runner = madeUpRunner(answers, profileOf(laptop, index), new Set(laptop.broken))
    const failed: string[] = []
    for (const { slug, sql, options, platforms } of catalogue) {
      if (!platforms.includes(laptop.platform)) continue
      const answer = await runner.run(renderSql(sql, options, {}), facts)
      assert.ok(answer.ok, slug)
      if (JSON.stringify(answer.rows).includes('FAIL')) failed.push(slug)
    }
    assert.deepEqual(failed.sort(), [...laptop.broken].sort())
  })
}

test('what a laptop fails decides something there, and a repaired one passes', async () => {
  for (const { broken } of madeUpLaptops)
    for (const slug of broken) assert.ok(Object.hasOwn(demoStrategies, slug), slug)
  const [laptop] = madeUpLaptops.filter(({ name }) => name === 'demo-cleo')
  assert.ok(laptop)
  const broken = new Set(laptop.broken)
  const runner = madeUpRunner(answers, profileOf(laptop, 3), broken)
  const check = catalogue.find(({ slug }) => slug === 'linux-firewall')
  assert.ok(check)
  const sql = renderSql(check.sql, check.options, {})
  assert.match(JSON.stringify(await runner.run(sql, facts)), /FAIL/)
  broken.delete('linux-firewall')
  assert.doesNotMatch(JSON.stringify(await runner.run(sql, facts)), /FAIL/)
})

test('no made-up laptop has the file of the demo check', async () => {
  for (const [index, laptop] of madeUpLaptops.entries()) {
    const runner = madeUpRunner(answers, profileOf(laptop, index), new Set())
    const { rows } = (await runner.run(demoCheckDraft().osquery_sql, facts)) as { rows: Record<string, string>[] }
    assert.deepEqual(rows, [{ files: '0', KOLIDE_CHECK_STATUS: 'PASS' }], laptop.name)
  }
})
