import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { signInReasonNames } from '@muster/contract/sign-in-reasons.ts'
import { testApp } from './support/app.ts'
import { documentedMetrics } from './support/documented-metrics.ts'

const app = testApp({ hasAgents: true })

async function served(): Promise<{ names: string[]; samples: { name: string; labels: Map<string, string> }[] }> {
  const answer = await app.app.inject({ url: '/metrics' })
  const samples = answer.body.matchAll(/^(muster_\w+)(?:\{(.*)\})? /gm).map(([, name = '', labels = '']) => ({
    name: name.replace(/_(?:bucket|sum|count)$/, ''),
    labels: new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value])),
  }))
  const types = answer.body.matchAll(/^# TYPE (muster_\w+) (\w+)$/gm)
  return { names: [...types].map(([, name, type]) => `${name} ${type}`), samples: [...samples] }
}

test('docs/metrics.md has every metric of the server with its type, and no other', async () => {
  const { names } = await served()
  const written = [...(await documentedMetrics())].map(([name, { type }]) => `${name} ${type}`)
  assert.deepEqual(written.toSorted(), names.toSorted())
})

test('docs/metrics.md names every label, and every value where it names any', async () => {
  const documented = await documentedMetrics()
  const { samples } = await served()
  const missing = samples.flatMap(({ name, labels }) =>
    [...labels]
      .filter(([label]) => label !== 'le')
      .filter(([label, value]) => {
        const values = documented.get(name)?.labels.get(label)
        return values === undefined || (values.length > 0 && !values.includes(value))
      })
      .map(([label, value]) => `${name} ${label} ${value}`),
  )
  assert.deepEqual(missing, [])
  const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  const reasons = /^Reasons of a failure: (.*?)\.$/ms.exec(page)?.[1] ?? ''
  assert.deepEqual(
    [...reasons.matchAll(/`(\w+)`/g)].map(([, reason]) => reason),
    signInReasonNames,
  )
})
