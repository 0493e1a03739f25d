import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { guardedFetch } from './guarded-fetch.ts'

test('without a host of the settings nothing is reached but public addresses by https', async () => {
  let asked = 0
  const inside = createServer((_request, response) => {
    asked += 1
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(inside, 'listening')
  const { port } = inside.address() as AddressInfo
  const fetch = guardedFetch({ resolve: (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]) })
  const causeOf = async (url: string) => {
    const { cause } = (await fetch(url).catch((thrown: unknown) => thrown)) as { cause?: Error & { code?: string } }
    return cause?.code ?? cause?.message
  }
  assert.equal(await causeOf(`https://login.microsoftonline.com:${port}/`), 'ADDRESS_REFUSED')
  assert.match(String(await causeOf(`http://127.0.0.1:${port}/`)), /plain http/)
  assert.match(String(await causeOf(`http://login.microsoftonline.com:${port}/`)), /plain http/)
  assert.equal(asked, 0)
  inside.close()
})
