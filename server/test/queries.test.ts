import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consolePrefix } from '../src/http/console-address.ts'
import { testApp } from './support/app.ts'
import { addAdmin, openBrowser } from './support/console.ts'

const trial = testApp({
  env: {
    MUSTER_OIDC_ISSUER: 'https://id.example.com',
    MUSTER_OIDC_CLIENT_ID: 'muster',
    MUSTER_OIDC_CLIENT_SECRET: 'secret',
  },
})

const nul = encodeURIComponent('a\0b')

/** Each parameter that an operation takes in its query string, at the address of a record that there need not be. */
function parameters() {
  return trial.app.routes.flatMap(({ url, method, schema, config, constraints }) => {
    const query = schema?.querystring as { properties?: object } | undefined
    const address = url.replace(/:\w+/g, '1')
    const version = String(constraints?.['apiVersion'])
    const methods = [method].flat().filter((one) => one !== 'HEAD')
    return methods.flatMap((one) =>
      Object.keys(query?.properties ?? {}).map((name) => ({
        address,
        name,
        version,
        method: one,
        operationId: config?.operationId,
      })),
    )
  })
}

test('NUL in any parameter of a query string is refused, and named', async () => {
  const browser = openBrowser(trial)
  assert.equal((await browser.signIn((await addAdmin(trial)).email)).status, 200)
  const errors = (field: string) => [{ field, message: 'must not contain NUL or half a surrogate pair' }]
  const taken: string[] = []
  const doors = new Set<boolean>()
  for (const { address, name, version, method, operationId } of parameters()) {
    const url = `${address}?${name}=${nul}`
    const isOfConsole = address.startsWith(consolePrefix)
    // So many questions are more than a session has in a minute.
    await trial.db.deleteFrom('admin_session_windows').execute()
    const answer = isOfConsole
      ? await browser.ask(method, url.slice(consolePrefix.length))
      : await trial.ask(method, url, { headers: { 'x-service-api-version': version } })
    doors.add(isOfConsole)
    const isRefused = JSON.stringify([answer.status, answer.body.errors]) === JSON.stringify([422, errors(name)])
    if (!isRefused)
      taken.push(`${operationId} ${method} ${url}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
  }
  assert.deepEqual(taken, [])
  assert.equal(doors.size, 2)
})
