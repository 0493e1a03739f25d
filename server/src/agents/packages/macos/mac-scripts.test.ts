import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { standInMac } from '../../../../test/support/mac-stand-in.ts'
import { macPackages } from '../../../../test/support/made-mac-package.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { areGone, modeOf, secret } from '../../../../test/support/written-packages.ts'
import { macScripts } from './mac-scripts.ts'

// A file that root owns is what the scripts make; and only root may send a signal to what it started.
const skip = process.getuid?.() === 0 ? false : 'needs root'

const label = 'system/com.muster.companion'
const state = 'Library/Application Support/Muster'
const installed: [path: string, mode: string][] = [
  ['opt/muster-companion/muster-companion', '755'],
  ['opt/muster-companion/uninstall.sh', '755'],
  ['Library/LaunchDaemons/com.muster.companion.plist', '644'],
  ['etc/newsyslog.d/muster-companion.conf', '644'],
  [state, '700'],
  [`${state}/config`, '700'],
  [`${state}/config/companion.json`, '600'],
  [`${state}/config/enroll_secret`, '600'],
]

test('the scripts are such as shells and shellcheck take', (t) => {
  const shells = macScripts.filter(({ content }) => content.startsWith('#!/bin/sh'))
  assert.equal(shells.length, 3)
  for (const { path, content } of shells) {
    const parsed = spawnSync('sh', ['-n'], { input: content, encoding: 'utf8' })
    assert.deepEqual([parsed.status, parsed.stderr], [0, ''], path)
    const checked = spawnSync('shellcheck', ['-s', 'sh', '-'], { input: content, encoding: 'utf8' })
    if (checked.error) t.diagnostic('shellcheck is not installed')
    else assert.equal(checked.stdout, '', path)
  }
})

test('an installation places what is this Mac’s for root alone, and starts the LaunchDaemon', { skip }, async (t) => {
  const mac = standInMac(t)
  const { status, said } = await mac.install(await macPackages(t).bytes({}, secret), { refusals: 2 })
  assert.equal(status, 0, said)
  for (const [path, mode] of installed) assert.equal(await modeOf(join(mac.root, path)), mode, path)
  assert.equal(await readFile(join(mac.root, state, 'config/enroll_secret'), 'utf8'), secret)
  const list = join(mac.root, 'Library/LaunchDaemons/com.muster.companion.plist')
  assert.deepEqual(
    (await mac.calls()).filter((line) => !line.startsWith('sleep')),
    [
      `tmutil addexclusion ${join(mac.root, state)}`,
      `launchctl bootout ${label}`,
      `launchctl enable ${label}`,
      // Refused while the earlier one ends.
      ...Array.from({ length: 3 }, () => `launchctl bootstrap system ${list}`),
    ],
  )
  const rotation = await readFile(join(mac.root, 'etc/newsyslog.d/muster-companion.conf'), 'utf8')
  const [logName, mode, count, , , , pid] = rotation.split('\n')[1]?.split(' ') ?? []
  const plist = await readFile(list, 'utf8')
  assert.ok(plist.includes(`<string>${logName}</string>`))
  assert.deepEqual([mode, count], ['640', '5'])
  assert.equal(pid, join(mac.root, 'var/run/muster-companion.pid'))
})

test('an installation fails where launchd does not start it, and on another volume', { skip }, async (t) => {
  const mac = standInMac(t)
  const bytes = await macPackages(t).bytes({}, secret)
  const refused = await mac.install(bytes, { refusals: 1_000 })
  assert.equal(refused.status, 1)
  assert.match(refused.said, /launchd does not start it/)
  const elsewhere = await mac.install(bytes, { target: '/Volumes/Other' })
  assert.equal(elsewhere.status, 1)
  assert.match(elsewhere.said, /volume that this Mac has started from/)
  assert.deepEqual(await mac.calls(), [])
})

test('what the LaunchDaemon starts runs without any environment, and ends when it is told', { skip }, async (t) => {
  const mac = standInMac(t)
  assert.equal((await mac.install(await macPackages(t).bytes({}, secret))).status, 0)
  await mac.bringNode()
  const { running, ended } = await mac.launch()
  const [said] = await once(running.stdout?.setEncoding('utf8') ?? assert.fail(), 'data')
  assert.match(said, /^companion: osquery is not installed/)
  assert.equal((await readFile(join(mac.root, 'var/run/muster-companion.pid'), 'utf8')).trim(), String(running.pid))
  const environment = await readFile(`/proc/${running.pid}/environ`, 'utf8').catch(() => undefined)
  if (environment !== undefined)
    assert.deepEqual(
      environment.split('\0').flatMap((one) => (one === '' ? [] : [one.split('=')[0]])),
      ['PATH', 'HOME'],
    )
  // As newsyslog tells it.
  running.kill('SIGHUP')
  assert.deepEqual(await ended, [0, null])
  const status = mac.run(join(mac.root, 'opt/muster-companion/muster-companion'), 'status')
  assert.equal(status.status, 1)
  assert.match(status.stderr, /it has not run here yet/)
  const selftest = mac.run(join(mac.root, 'opt/muster-companion/muster-companion'), 'selftest')
  assert.equal(selftest.status, 1, 'osquery is not installed')
  assert.match(selftest.stdout, /^\| muster-companion selftest \| .* UTC/)
  assert.match(selftest.stdout, /^\| Folder +\| .*\/Library\/Application Support\/Muster, mode 0700, of user 0 +\| ok/m)
  const wrong = mac.run(join(mac.root, 'opt/muster-companion/muster-companion'))
  assert.deepEqual([wrong.status, /^usage: sudo .* status \| selftest\n$/.test(wrong.stderr)], [64, true])
})

test('on a Mac that was restored without what backups leave out it waits, and says what to do', { skip }, async (t) => {
  const mac = standInMac(t)
  assert.equal((await mac.install(await macPackages(t).bytes({}, secret))).status, 0)
  await mac.bringNode()
  await rm(join(mac.root, 'Library/Application Support/Muster'), { recursive: true })
  const { running, ended } = await mac.launch()
  const [said] = await once(running.stdout?.setEncoding('utf8') ?? assert.fail(), 'data')
  assert.match(
    said,
    /^companion: its configuration is missing in \/.*\/Muster\/config, as after a restore\. Install it again\n$/,
  )
  running.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

/** Whether the program has come to where it takes signals: Node by itself takes no SIGHUP. */
const catchesHangUp = (status: string): boolean => /^SigCgt:\s+[0-9a-f]*[13579bdf]$/m.test(status)

test('a log without room for what it says does not end it', { skip }, async (t) => {
  const mac = standInMac(t)
  assert.equal((await mac.install(await macPackages(t).bytes({}, secret))).status, 0)
  await mac.bringNode()
  const { running, ended } = await mac.launch('/dev/full')
  const over = ended.then((how) => how as unknown[])
  await until(20_000, async () => catchesHangUp(await readFile(`/proc/${running.pid}/status`, 'utf8')))
  // It says at its start that osquery is not installed.
  assert.equal(await Promise.race([over, pause(2_000, 'running')]), 'running')
  running.kill('SIGTERM')
  assert.deepEqual(await over, [0, null])
})

test('an upgrade keeps the key and takes the earlier configuration away; removal leaves nothing', {
  skip,
}, async (t) => {
  const mac = standInMac(t)
  const packages = macPackages(t)
  assert.equal((await mac.install(await packages.bytes({}, secret))).status, 0)
  assert.ok(existsSync(join(mac.root, state, 'config/server-ca.pem')))
  const key = join(mac.root, state, 'companion.json')
  await writeFile(key, 'the key', { mode: 0o600 })
  await mkdir(join(mac.root, state, 'link'))
  const later = await packages.bytes({ build: 2, ca_certificate: null }, 'another-secret')
  assert.equal((await mac.install(later)).status, 0)
  assert.equal(await readFile(key, 'utf8'), 'the key')
  assert.equal(await readFile(join(mac.root, state, 'config/enroll_secret'), 'utf8'), 'another-secret')
  await areGone(mac.root, [`${state}/config/server-ca.pem`])

  for (const name of ['muster-companion.log', 'muster-companion.log.0.gz'])
    await writeFile(join(mac.root, 'var/log', name), 'said')
  const removed = mac.run('sh', join(mac.root, 'opt/muster-companion/uninstall.sh'))
  assert.equal(removed.status, 0, removed.stderr)
  await areGone(mac.root, [...installed.map(([path]) => path), 'opt/muster-companion', state])
  assert.deepEqual(await readdir(join(mac.root, 'var/log')), [])
  assert.deepEqual(await readdir(join(mac.root, 'var/run')), [])
  assert.deepEqual((await mac.calls()).slice(-2), [
    `launchctl bootout ${label}`,
    'pkgutil --forget com.muster.companion',
  ])
})
