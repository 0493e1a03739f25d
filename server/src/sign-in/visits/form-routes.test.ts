import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInStage } from '../../../test/support/sign-in-stage.ts'

const warned: unknown[] = []
const { stage, setUp, arrive, proveIn } = signInStage({ warn: (facts) => warned.push(facts) })

/** As they stand in JSON. */
const oddValues = [
  ...['7', '1.5', '-1', '1e400', '9'.repeat(30), 'true', 'null', '{}', '[]', '[[]]', '[null, {}, 1, "x"]'],
  ...['""', '"x"', '"-1"', '"1.5"', '"1\\u0000"', '"\\u0000"', '"\\ud800"', '"１"', '" 1"', '"1\\n"', '"__proto__"'],
  ...[`"${'9'.repeat(19)}"`, `"${'9'.repeat(30)}"`, `"${'x'.repeat(8_000)}"`, '{"toString":1,"valueOf":1}'],
  ...['{"__proto__":{"x":1}}', '{"length":3}', '["1\\u0000", "\\ud800"]', '"eyJraWQiOiJcdTAwMDAifQ.e30.AA"'],
  `"${proofBy('\0')}"`,
]

function proofBy(kid: string): string {
  const header = { alg: 'ES256', typ: 'muster-proof+jwt', kid }
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.e30.AA`
}

type Route = { path: string; fields: readonly string[] }

/** Where a browser or another party posts to below `/signin/`; what ends the sign-in comes last. */
const routes = (): Route[] =>
  stage.app.routes
    .filter(({ method, url }) => [method].flat().includes('POST') && url.startsWith('/signin/'))
    .map(({ url, schema }) => ({ path: url, fields: fieldsOf(schema?.body) }))
    .toSorted((a, b) => Number(a.path.endsWith('/cancel')) - Number(b.path.endsWith('/cancel')))

const fieldsOf = (schema: unknown): string[] =>
  Object.keys((Object(schema) as { properties?: object }).properties ?? { token: 0 })

const bodiesOf = ({ fields }: Route): string[] => [
  ...oddValues,
  ...['', '{', '{"__proto__":{"issue_id":"1"}}', '{"constructor":{"prototype":{}}}'],
  ...fields.flatMap((field) => oddValues.map((value) => `{${JSON.stringify(field)}: ${value}}`)),
]

/** The same as a form, which has texts alone. */
function formOf(body: string): string {
  try {
    return new URLSearchParams(
      Object.entries(JSON.parse(body) as object).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
  } catch {
    return body
  }
}

test('an identifier that can be none is not found, and any other odd value is named', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const identifiers = ['x', '1\0', '9'.repeat(30), 1.5, '1.5', {}, [], null, undefined]
  for (const id of identifiers) {
    const named = JSON.stringify(id)
    assert.equal((await visit.post('withdraw', { request_id: id })).status, 404, named)
    assert.equal((await visit.post('snooze', { issue_id: id })).status, 404, named)
    assert.equal((await visit.post('exemption', { issue_id: id, message: 7 })).status, 404, named)
    assert.equal((await visit.post('seen', { issue_ids: ['1', id] })).status, 404, named)
  }
  const refused = [
    ['exemption', { issue_id: '1', message: 7 }, 'message'],
    ['register', { message: 'x'.repeat(5_001) }, 'message'],
    ['undetected', { reason: 'hungry' }, 'reason'],
    ['undetected', { reason: { toString: 1 } }, 'reason'],
    ['code', { code: 7 }, 'code'],
  ] as const
  for (const [what, body, field] of refused) {
    const { status, text } = await visit.post(what, body)
    const { errors } = JSON.parse(text) as { errors: { field: string }[] }
    assert.deepEqual([status, errors.map((error) => error.field)], [422, [field]], what)
  }
})

// The last one: what it sends uses up the requests of its network.
test('no value in any form that is posted below /signin/ is a failure of ours', async (t) => {
  const all = await setUp()
  const visit = await arrive(all)
  assert.equal((await proveIn(visit, all)).state, 'passed')
  const logged = t.mock.method(stage.app.log, 'error')
  const found = routes()
  assert.ok(found.length >= 16, JSON.stringify(found))
  for (const route of found) {
    const path = route.path.replace('/signin/:id', visit.path).replace(/:\w+/, all.connection.id)
    for (const body of bodiesOf(route)) {
      const asJson = { method: 'POST', body, headers: { 'content-type': 'application/json' } } as const
      const { status, text } = await visit.go(path, asJson)
      assert.ok(status < 500, `${path} ${body.slice(0, 60)}: ${status} ${text}`)
      const asForm = { ...asJson, body: formOf(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      const { status: formStatus } = await visit.go(path, asForm)
      assert.ok(formStatus < 500, `${path} ${asForm.body.slice(0, 60)}: ${formStatus}`)
    }
  }
  // Requests that no application has sent are counted, and said so; and the clock of the application is ahead.
  const ofOurs = warned.filter((facts) => !('refused' in Object(facts)) && !('aheadSeconds' in Object(facts)))
  assert.deepEqual([logged.mock.callCount(), ofOurs], [0, []])
})
