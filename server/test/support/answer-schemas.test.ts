import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { endpoint } from '../../src/http/endpoint.ts'
import { testApp } from './app.ts'

const answers: Record<string, unknown> = {
  right: { name: 'a', inner: [{ count: 1 }] },
  undeclared: { name: 'a', inner: [{ count: 1, secret: 'x' }] },
  missing: { inner: [] },
  mistyped: { name: 'a', inner: [{ count: '1' }] },
}

const { ask } = testApp({
  addRoutes: (app) =>
    endpoint(app, {
      method: 'GET',
      path: '/answers/:kind',
      operationId: 'answerAnything',
      summary: 'Try',
      tag: 'Trial',
      permission: 'read',
      textParams: { kind: 'Which answer.' },
      answer: Type.Object({ name: Type.String(), inner: Type.Array(Type.Object({ count: Type.Integer() })) }),
      run: async ({ params }) => answers[params.kind] as { name: string; inner: { count: number }[] },
    }),
})

test('an answer that its schema refuses fails the test that asked for it', async () => {
  assert.deepEqual((await ask('GET', '/answers/right')).body, answers['right'])
  await assert.rejects(ask('GET', '/answers/undeclared'), /answerAnything answered 200 .*"additionalProperty":"secret"/)
  await assert.rejects(ask('GET', '/answers/missing'), /"missingProperty":"name"/)
  await assert.rejects(ask('GET', '/answers/mistyped'), /\/inner\/0\/count must be integer/)
})
