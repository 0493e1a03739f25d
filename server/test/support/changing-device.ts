import assert from 'node:assert/strict'
import { until } from './muster-process.ts'
import { osqueryClient, type QueryResult } from './osquery-client.ts'
import type { TlsServer } from './tls-server.ts'

const outcomes = {
  PASS: { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] },
  FAIL: { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] },
} satisfies Record<string, QueryResult>

export type CheckOutcome = keyof typeof outcomes

/** A device that passes every check, until `turn` makes it fail one that blocks at once, or pass it again. */
export async function openChangingDevice({ server, origin, key, enrollSecret }: TlsServer) {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await server.ask(method, path, { key, ...(body && { body }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const idOf = async (path: string, query: string): Promise<string> =>
    (await ask('GET', `${path}?query=${encodeURIComponent(query)}`)).data[0].id
  const client = osqueryClient(origin)
  assert.ok((await client.enroll(enrollSecret)).accepted)
  assert.ok((await client.answerAll(() => outcomes.PASS)) >= 8)
  const deviceId = await idOf('/devices', 'serial:PF3ABCDE')
  const checkId = await idOf('/checks', 'slug:linux-pending-reboot')
  await ask('PATCH', `/checks/${checkId}/configurations`, { remediation_strategy: 'block_immediately' })

  return {
    deviceId,
    checkId,
    /** Resolves, once the result is taken in, to the time when it was sent. */
    async turn(outcome: CheckOutcome): Promise<number> {
      await ask('POST', `/devices/${deviceId}/check_refreshes`, { check_id: checkId })
      let name: string | undefined
      await until(20_000, async () => {
        name = Object.keys((await client.read()).queries).find((query) => query.startsWith(`check/${checkId}/`))
        return name !== undefined
      })
      const sentAtMs = Date.now()
      assert.ok((await client.write({ [name ?? '']: outcomes[outcome] })).accepted)
      return sentAtMs
    },
    close: () => client.close(),
  }
}
