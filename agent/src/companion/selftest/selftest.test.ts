import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { CompanionState } from '../companion-state.ts'
import { openLoopback } from '../loopback.ts'
import { newState } from '../open-state.ts'
import { nothingTold } from '../who-asks.ts'
import { describeSelftest } from './describe-selftest.ts'
import { lookAtLoopback, lookAtPeople } from './look-at-loopback.ts'
import { lookAtPlaces } from './look-at-places.ts'
import { readLaunchd, readSystemd } from './look-at-service.ts'
import { lookAtSystem } from './look-at-system.ts'
import type { Row } from './row.ts'
import { runSelftest } from './selftest.ts'

const now = '2026-11-30T12:00:30.000Z'
const uid = process.getuid?.() ?? 0

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-selftest-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const lineOf = (rows: readonly Row[], what: string) => {
  const { verdict, found } = rows.find((row) => row.what === what) ?? assert.fail(`no row ${what}`)
  return `${verdict}: ${found}`
}

test('the table is Markdown, and what programs are called moves no cursor and ends no cell', () => {
  const rows: Row[] = [
    { what: 'System', found: 'macOS 26.3', verdict: 'ok' },
    { what: 'Who asks', found: `a\u001b[2J|b\u202ec\n${'x'.repeat(300)}`, verdict: 'look' },
    { what: 'People', found: 'unknown', verdict: 'unknown' },
  ]
  const [head = '', rule = '', ...lines] = describeSelftest(rows, now)
  assert.match(head, /^\| muster-companion selftest \| 2026-11-30 12:00 UTC +\| +\|$/)
  assert.match(rule, /^\| -+ \| -+ \| ---- \|$/)
  assert.match(lines[0] ?? '', /^\| System +\| macOS 26\.3 +\| ok {3}\|$/)
  assert.match(lines[1] ?? '', /^\| Who asks +\| a\?\[2J\/b\?c\?x+ \| LOOK \|$/)
  assert.equal(new Set([head, rule, ...lines].map((line) => line.length)).size, 1)
})

// osquery's answers follow its specifications of os_version, osquery_info, system_info and file. None was recorded on a Mac.
test('the system is told by osquery, and the identity only by whether it is there', async () => {
  const mac: Record<string, Record<string, string>> = {
    os_version: { name: 'macOS', version: '26.5.2', build: '25F84', arch: 'arm64' },
    osquery_info: { version: '5.23.1' },
    system_info: { uuid: '0A7F3B6C-8F6E-4F0D-9A52-61F0A2C1D3E4', hardware_serial: 'C02PRIVATE1' },
  }
  const shell = { path: '/opt/osquery/lib/osquery.app/Contents/MacOS/osqueryd', flags: ['-S'] }
  const answering = async (sql: string) => [mac[/FROM (\w+)/.exec(sql)?.[1] ?? ''] ?? {}]
  const rows = await lookAtSystem(answering, shell, true)
  assert.equal(lineOf(rows, 'System'), 'ok: macOS 26.5.2 (25F84) arm64')
  assert.equal(lineOf(rows, 'osquery'), `ok: 5.23.1 by ${shell.path}`)
  assert.equal(lineOf(rows, 'Identity by osquery'), 'ok: a hardware UUID, a serial number')
  assert.doesNotMatch(JSON.stringify(rows), /C02PRIVATE1|0A7F3B6C/)
  mac['system_info'] = { uuid: '', hardware_serial: '' }
  assert.equal(
    lineOf(await lookAtSystem(answering, shell, true), 'Identity by osquery'),
    'look: no hardware UUID, no serial number',
  )
  const silent = await lookAtSystem(async () => undefined, shell, true)
  assert.match(lineOf(silent, 'osquery'), /^look: no answer by/)
  assert.match(lineOf(silent, 'Identity by osquery'), /^look: no answer from system_info/)
  const without = (isLinked: boolean) => lookAtSystem(async () => undefined, undefined, isLinked)
  assert.match(lineOf(await without(false), 'osquery'), /^look: not installed: the companion waits/)
  assert.match(lineOf(await without(true), 'osquery'), /^unknown: not installed: the bundled agent/)
})

test('a key that others can read, a folder that others can write to, and a link that osquery does not see are told', async (t) => {
  const folder = folderOf(t)
  const places = { stateFile: join(folder, 'companion.json'), linkFolder: '/Library/Application Support/Muster/link' }
  const own = { path: places.linkFolder, type: 'directory', uid: '0', gid: '0', mode: '0700' }
  const file = { path: `${places.linkFolder}/abcdefabcdefabcdef`, type: 'regular', uid: '0', gid: '0', mode: '0600' }
  const asked: string[] = []
  const answering = (rows: Record<string, string>[]) => async (sql: string) => {
    asked.push(sql)
    return rows
  }
  chmodSync(folder, 0o700)
  assert.match(lineOf(await lookAtPlaces(answering([]), places), 'Key'), /^look: .* is not there/)
  writeFileSync(places.stateFile, '{}', { mode: 0o600 })
  const good = await lookAtPlaces(answering([own, file]), places)
  assert.equal(lineOf(good, 'Folder'), `ok: ${folder}, mode 0700, of user ${uid}`)
  assert.equal(lineOf(good, 'Key'), `ok: ${places.stateFile}, mode 0600, of user ${uid}`)
  assert.equal(lineOf(good, 'Link by osquery'), 'ok: the folder of user 0, mode 0700; a file of user 0, mode 0600')
  assert.match(asked.at(-1) ?? '', /path = '\/Library\/Application Support\/Muster\/link' union all .*link\/%'/)
  const inHome = { ...places, stateFile: join(homedir(), 'no-such-folder', 'companion.json') }
  const told = lineOf(await lookAtPlaces(undefined, inHome), 'Key')
  assert.equal(told, 'look: ~/no-such-folder/companion.json is not there: no companion has run here')
  chmodSync(folder, 0o777)
  chmodSync(places.stateFile, 0o644)
  const open = await lookAtPlaces(answering([own, { ...file, mode: '0644' }]), places)
  for (const what of ['Folder', 'Key', 'Link by osquery']) assert.match(lineOf(open, what), /^look: /)
  assert.match(lineOf(await lookAtPlaces(answering([{ ...own, uid: '501' }]), places), 'Link by osquery'), /^look: /)
  assert.match(lineOf(await lookAtPlaces(answering([own]), places), 'Link by osquery'), /^ok: .*no file is asked for/)
  assert.match(lineOf(await lookAtPlaces(answering([]), places), 'Link by osquery'), /^look: osquery does not see/)
})

// As launchctl(1) and systemctl(1) have them; the first was not recorded on a Mac.
test('a service is told by its state, its restarts and its last exit code', () => {
  const launchd =
    'system/com.muster.companion = {\n\tactive count = 1\n\tstate = running\n\n\truns = 3\n\tlast exit code = 1\n}\n'
  assert.deepEqual(readLaunchd(launchd), {
    ...{ what: 'Service', verdict: 'ok', found: 'com.muster.companion running, runs 3, last exit code 1' },
  })
  assert.equal(readLaunchd(launchd.replace('state = running', 'state = spawn scheduled')).verdict, 'look')
  assert.equal(readLaunchd('Could not find service "com.muster.companion" in domain for system').verdict, 'look')
  assert.equal(readLaunchd(undefined).verdict, 'look')
  const systemd =
    'LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nNRestarts=2\nExecMainStatus=0\n'
  assert.deepEqual(readSystemd(systemd), {
    ...{ what: 'Service', verdict: 'ok' },
    found: 'muster-companion.service active (running), enabled, restarts 2, last exit code 0',
  })
  assert.equal(readSystemd(systemd.replace('ActiveState=active', 'ActiveState=failed')).verdict, 'look')
  assert.equal(readSystemd('LoadState=not-found\nActiveState=inactive\n').verdict, 'unknown')
  assert.equal(readSystemd(undefined).verdict, 'unknown')
})

const origin = 'https://muster.example.com'

/** What listens at a port of its own. */
async function listening(t: TestContext, server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as net.AddressInfo).port
}

/** A companion that has checked in, and listens at the first of its ports. */
async function companionOf(t: TestContext, others: readonly number[] = []): Promise<CompanionState> {
  const probe = net.createServer()
  const port = await listening(t, probe)
  await once(probe.close(), 'close')
  const prove = async () => ({ refused: 'seen' as const })
  const opened = await openLoopback([port], { origin: () => origin, prove, wake: () => {}, whoAsks: nothingTold })
  assert.ok(opened)
  t.after(() => opened.close())
  const state = await newState(join(folderOf(t), 'companion.json'), origin)
  const trust = { organization: '1', origin, challengeKeys: [], ports: [port, ...others], epoch: 'e' }
  return { ...state, trust, checkedIn: { at: now, status: 'linked', port, takenPorts: [] } }
}

test('a companion that runs is told with its port, with other programs on the rest, and with whom it greets', async (t) => {
  const alone = await companionOf(t)
  const port = alone.checkedIn?.port ?? 0
  const rows = await lookAtLoopback(alone, now)
  assert.equal(lineOf(rows, 'Link'), 'ok: linked: it proves this device; last check-in just now')
  assert.equal(lineOf(rows, 'Ports'), `ok: ${port} is the companion's; no other program on the rest`)
  assert.equal(lineOf(rows, 'Answer to the sign-in page'), 'ok: greeted')
  assert.equal(lineOf(rows, 'Answer to another site'), 'ok: not greeted')
  // Pages that ask in the same second use it up.
  const asked = Array.from({ length: 12 }, () => fetch(`http://127.0.0.1:${port}/v1/hello`, { headers: { origin } }))
  assert.ok((await Promise.all(asked)).some(({ status }) => status === 429))
  assert.equal(lineOf(await lookAtLoopback(alone, now), 'Answer to the sign-in page'), 'ok: greeted')
  const other = await listening(t, net.createServer())
  assert.match(
    lineOf(await lookAtLoopback(await companionOf(t, [other]), now), 'Ports'),
    new RegExp(`programs on ${other}$`),
  )
})

test('a program that greets everybody in place of the companion, and a port where nothing listens, are told', async (t) => {
  const state = await companionOf(t)
  const everybody = http.createServer((request, response) => {
    response.writeHead(204, { 'access-control-allow-origin': request.headers.origin }).end()
  })
  const at = (port: number | null, status: 'linked' | 'linking' = 'linked') => {
    const { trust, ...others } = state
    return {
      ...others,
      trust: trust && { ...trust, ports: [port ?? 1] },
      checkedIn: { at: now, status, port, takenPorts: [] },
    }
  }
  const impostor = await lookAtLoopback(at(await listening(t, everybody)), now)
  assert.equal(lineOf(impostor, 'Answer to another site'), 'look: greeted, which it must not be')
  const nobody = await lookAtLoopback(at(1, 'linking'), now)
  assert.equal(lineOf(nobody, 'Answer to the sign-in page'), 'look: not greeted: no connection')
  assert.match(lineOf(nobody, 'Link'), /^look: not linked yet/)
  assert.match(lineOf(await lookAtLoopback(at(null), now), 'Ports'), /^look: no port was free/)
})

test('a companion that was never here, and one that is not linked, are told', async (t) => {
  assert.match(lineOf(await lookAtLoopback(undefined, now), 'Link'), /^look: no companion has run here/)
  const state = await newState(join(folderOf(t), 'companion.json'), 'https://muster.example.com')
  assert.match(lineOf(await lookAtLoopback(state, now), 'Link'), /^look: not enrolled yet/)
})

test('where nothing is told of connections and people, both are unknown, which is no fault', async () => {
  const rows = await lookAtPeople(nothingTold)
  assert.match(lineOf(rows, 'Who asks'), /^unknown: unknown: /)
  assert.match(lineOf(rows, 'People'), /^unknown: unknown: /)
  const two = await lookAtPeople({ ...nothingTold, people: async () => 2 })
  assert.equal(lineOf(two, 'People'), 'ok: 2 are logged in: nobody registers this device by a click')
  const other = await lookAtPeople({ ...nothingTold, peer: async () => ({ uid: uid + 1, program: null }) })
  assert.equal(lineOf(other, 'Who asks'), `look: this program is told as user ${uid + 1}, program unknown`)
})

test('a machine without osquery is told line by line, and a program in its place that answers nonsense as well', async (t) => {
  const folder = folderOf(t)
  mkdirSync(join(folder, 'link'))
  const options = { stateFile: join(folder, 'companion.json'), now }
  const osqueryi = { path: join(folder, 'osqueryi'), flags: [] }
  writeFileSync(osqueryi.path, '#!/bin/sh\necho nonsense\n', { mode: 0o755 })
  for (const given of [{}, { osqueryi }, { osqueryi, platform: 'darwin' as const }]) {
    const rows = await runSelftest({ ...options, ...given })
    assert.match(lineOf(rows, 'osquery'), 'osqueryi' in given ? /^look: no answer/ : /^look: not installed/)
    assert.match(lineOf(rows, 'Link'), /^look: no companion has run here/)
    assert.ok(rows.length >= 10, JSON.stringify(rows))
  }
})
