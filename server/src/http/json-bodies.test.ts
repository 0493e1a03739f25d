import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { testApp } from '../../test/support/app.ts'
import { assertTurns } from '../../test/support/longest-turn.ts'
import { createScimToken } from '../access/scim/create-token.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'

const served = testApp({ env: { MUSTER_RATE_LIMIT_PER_MINUTE: '100000' } })
const bodiesAtOnce = 16

const numbered = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join()

/** Of a megabyte or less, and dear to parse or to look through. */
const dear: Readonly<Record<string, string>> = {
  'names of their own': `{"url":[${numbered(24_000, (i) => `{"n${i}":1,"m${i}":"x","k${i}":"\\u0041"}`)}]}`,
  'one object of many names': `{"url":"\\u0041",${numbered(70_000, (i) => `"n${i}":1`)}}`,
  'many values': `{"url":["\\u0041",${numbered(99_000, () => '1')}]}`,
  'many texts that no database holds': `{"url":[${numbered(99_000, () => '"\\u0000"')}]}`,
  'a text of line breaks': `{"url":"${'\\n'.repeat(500_000)}"}`,
  'a name that is forbidden, at the end': `{"url":[${numbered(90_000, () => '1')},{"__proto__":{}}]}`,
}

async function scimToken(): Promise<string> {
  const { db, secrets } = served
  const change = systemChange(served.tenant.organizationId, served.now())
  const { token } = await transact(db, (tx) => createScimToken(tx, secrets, { name: 'Entra' }, change))
  return token
}

test('bodies that are dear to read are refused, and others have their turn meanwhile', async () => {
  const { key } = served.tenant
  const token = await scimToken()
  const json = 'application/json'
  const send = (url: string, by: string, payload: string) =>
    served.app.inject({
      ...{ method: 'POST', url, payload },
      headers: { authorization: `Bearer ${by}`, 'content-type': json },
    })
  const doors = [
    ['/webhook_endpoints', key],
    ['/scim/v2/Groups', token],
  ] as const
  /** Sending is work of this process as well: it is done with a turn for others after each. */
  async function together(payload: string) {
    const sent: Promise<{ statusCode: number }>[] = []
    for (let at = 0; at < bodiesAtOnce; at += 1) {
      const [url, by] = doors[at % doors.length] ?? assert.fail()
      sent.push(send(url, by, payload))
      await nextTurn()
    }
    return Promise.all(sent)
  }
  for (const [name, payload] of Object.entries(dear)) {
    await assertTurns(name, async () => {
      for (const { statusCode } of await together(payload)) {
        assert.ok([400, 422].includes(statusCode), `${name}: ${statusCode}`)
      }
    })
  }
})
