import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinnedRuntimes } from '../../agents/packages/runtimes/pinned-runtimes.ts'
import { describeFinding } from './finding.ts'
import { judgeRuntimes } from './judge-runtimes.ts'

const { version } = pinnedRuntimes['linux-arm64']
const runtime = { system: 'linux-arm64', node_version: version, source: 'npm', packed_size: 50_805_772 } as const

test('doctor says what each added Node takes in the database, and which of them the table has a newer one for', () => {
  const said = (...of: Parameters<typeof judgeRuntimes>[0]) => judgeRuntimes(of).map(describeFinding)
  assert.deepEqual(said(), ['✓ runtimes: none added'])
  assert.deepEqual(said(runtime, { ...runtime, node_version: '24.0.0', source: 'file' }), [
    `✓ runtimes: linux-arm64: Node ${version}, 51 MB in the database`,
    '✓ runtimes: linux-arm64: Node 24.0.0, 51 MB in the database',
  ])
  assert.deepEqual(said({ ...runtime, node_version: '26.1.0' }), [
    `! runtimes: linux-arm64: Node 26.1.0, 51 MB in the database; this version of Muster has Node ${version}: muster packages add-runtime linux-arm64`,
  ])
})
