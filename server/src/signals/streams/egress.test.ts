import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'

// That the settings reach the way out; how they are applied is tested beside it.

const app = testApp({
  env: {
    MUSTER_BASE_URL: 'https://1.1.1.7',
    MUSTER_EGRESS_NAT64_PREFIXES: '64:ff9b::/96',
    MUSTER_EGRESS_SHARED_ADDRESSES: '1.1.1.8',
  },
})

const faultOf = async (url: string) => {
  const outcome = await app.streams.outbound.post({ url, headers: {}, body: '', signal: AbortSignal.timeout(500) })
  return outcome.kind === 'failed' ? outcome.fault : outcome.kind
}

test('a receiver at the base address is not dialed, directly or by NAT64, and one elsewhere is', async () => {
  assert.equal(await faultOf('https://1.1.1.7/'), 'unreachable')
  assert.equal(await faultOf('https://[64:ff9b::101:107]/'), 'unreachable')
  // Whatever is there, or nothing.
  assert.notEqual(await faultOf('https://1.1.1.8/'), 'unreachable')
  assert.notEqual(await faultOf('https://[64:ff9b::101:108]/'), 'unreachable')
})
