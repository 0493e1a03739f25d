import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from './support/app.ts'
import { addAdmin, openBrowser } from './support/console.ts'
import { scimClient } from './support/scim-client.ts'

/** Bodies that are nested deeply, sent to every route of the running app. A new route is walked as soon as it is there. */
const app = testApp()
const scim = scimClient(app)

beforeEach(() => app.reset())

const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`

const console = '/console/api'

type Route = { method: string; path: string; fields: string[] }

const routes = (): Route[] =>
  app.app.routes.flatMap(({ method, url, schema }) =>
    [method]
      .flat()
      .filter((one) => ['POST', 'PUT', 'PATCH'].includes(one))
      .map((one) => ({ method: one, path: url.replaceAll(/:\w+/g, '1'), fields: fieldsIn(schema?.body) })),
  )

function fieldsIn(schema: unknown): string[] {
  const {
    properties = {},
    anyOf = [],
    allOf = [],
  } = Object(schema) as { properties?: object; anyOf?: unknown[]; allOf?: unknown[] }
  return [...Object.keys(properties), ...[...anyOf, ...allOf].flatMap(fieldsIn)]
}

/** Each alone, since the first that is refused hides the others. */
function bodiesOf({ fields }: Route): string[] {
  const values = [
    nested(5_000),
    nested(50),
    `{"a":${nested(50)}}`,
    JSON.stringify(nested(5_000)),
    `[{"a":${nested(50)}}]`,
  ]
  return [nested(100_000), ...fields.flatMap((field) => values.map((value) => `{${JSON.stringify(field)}:${value}}`))]
}

test('no route fails over a body that is nested deeply', async () => {
  await scim.begin()
  const { email } = await addAdmin(app, { email: 'full@acme.example' })
  const browser = openBrowser(app)
  await browser.signIn(email)
  const headers = { 'content-type': 'application/json' }
  const send = (method: string, path: string, payload: string) => {
    if (path.startsWith('/scim/v2/')) return scim.ask(method, path.slice('/scim/v2'.length), { payload })
    if (!path.startsWith(console)) return app.ask(method, path, { body: payload, headers })
    return browser.ask(method, path.slice(console.length), payload, headers)
  }
  const statuses = new Map<number, number>()
  for (const route of routes()) {
    for (const body of bodiesOf(route)) {
      const { status } = await send(route.method, route.path, body)
      assert.ok(status < 500, `${route.method} ${route.path} ${body.slice(0, 60)}: ${status}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // A route has ended the session.
      if (status === 401 && route.path.startsWith(console)) await browser.signIn(email)
    }
  }
  assert.ok((statuses.get(422) ?? 0) > 1_000, JSON.stringify([...statuses]))
})
