import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type CheckedIn, writeState } from './companion-state.ts'
import { describeCompanionStatus, readCompanionStatus } from './companion-status.ts'
import { openState } from './open-state.ts'

const folder = await mkdtemp(join(tmpdir(), 'companion-status-'))
const file = join(folder, 'companion.json')
const origin = 'https://muster.example.com'
const at = '2026-11-18T11:06:45.000Z'
after(() => rm(folder, { recursive: true }))

async function keep(checkedIn: Partial<CheckedIn>) {
  const state = await openState(file, origin)
  const trust = { organization: '1', origin, challengeKeys: [], ports: [15_861], epoch: 'an-epoch' }
  await writeState(file, {
    ...state,
    trust,
    checkedIn: { at, status: 'linked', port: null, takenPorts: [], ...checkedIn },
  })
  return state.kid
}

async function lines(now = '2026-11-18T11:09:45.000Z'): Promise<string> {
  const found = await readCompanionStatus(file)
  return found === undefined ? '' : describeCompanionStatus(found, now).join('\n')
}

test('of a companion that has never run there is nothing to say', async () => {
  assert.equal(await readCompanionStatus(join(folder, 'nothing.json')), undefined)
})

test('a companion that has not enrolled yet says so', async () => {
  const { kid } = await openState(file, origin)
  assert.equal(
    await lines(),
    [
      `Companion of ${origin}`,
      `  State file     ${file}, mode 0600`,
      `  Key            ${kid}`,
      '  Link           not enrolled yet',
      '  Answers        no',
      '  Pages of       no server yet',
      '  Last check-in  never',
    ].join('\n'),
  )
})

test('a companion says how it stood at its last check-in, and whether it answers now', async () => {
  const asked: unknown[] = []
  const server = http.createServer(({ url, headers }, response) => {
    asked.push([url, headers.origin])
    response.writeHead(204, { 'access-control-allow-origin': origin }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await keep({ port, takenPorts: [15_861, 17_443] })
  const text = await lines()
  assert.match(text, /Link {11}linked: it proves this device/)
  assert.match(text, new RegExp(`Answers {8}at 127\\.0\\.0\\.1:${port}\n`))
  assert.match(text, /Taken ports {4}15861, 17443: other programs listen there/)
  assert.match(text, /Last check-in {2}2026-11-18 11:06:45 UTC, 3 minutes ago/)
  assert.deepEqual(asked, [['/v1/hello', origin]])
  server.close()
  server.closeAllConnections()
  assert.match(await lines(), new RegExp(`not now; the last time at 127\\.0\\.0\\.1:${port}`))
})

test('a program that is not the companion at its port does not count as one', async () => {
  const server = http.createServer((_request, response) => response.end('hello'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await keep({ port: (server.address() as AddressInfo).port })
  assert.equal((await readCompanionStatus(file))?.is_running, false)
  server.close()
})

test('a key that others can read, a missing port and a suspended registration are named', async () => {
  await keep({ status: 'suspended', takenPorts: [15_861] })
  await chmod(file, 0o644)
  const text = await lines('2026-11-19T11:06:45.000Z')
  assert.match(text, /mode 0644: other users can read the key/)
  assert.match(text, /linked, and the registration of the device is suspended/)
  assert.match(text, /24 hours ago/)
  assert.match(text, /No port was free\. It tries again every minute\./)
})
