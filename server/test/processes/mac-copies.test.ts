import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { CompanionState } from '@muster/agent/companion/companion-state.ts'
import { runAgent } from '@muster/agent/run-agent.ts'
import { startWorkerRunner } from '@muster/agent/sql/start-worker-runner.ts'
import { sql } from 'kysely'
import { engine, testDatabase } from '../support/database.ts'
import { standInMac } from '../support/mac-stand-in.ts'
import { madeNode, packedNode, sha256Of } from '../support/made-node.ts'
import { type Hooks, until } from '../support/muster-process.ts'
import { openTlsServer } from '../support/tls-server.ts'
import { signInByLoopback } from './sign-in-by-loopback.ts'
import { addCaller } from './sign-in-place.ts'

// What Migration Assistant, Time Machine and images do to companions: the state folder of one Mac appears on another. Both companions
// are the package's program on one machine, and each osqueryd looks at the files of its own Mac.

const database = engine === 'postgres' ? testDatabase() : undefined
const limitMs = 120_000
const state = '/Library/Application Support/Muster'

const skip =
  (process.platform !== 'linux' && 'needs Linux') ||
  (process.getuid?.() !== 0 && 'needs root, which owns the files that count') ||
  (engine !== 'postgres' && 'needs PostgreSQL')

type Identity = { uuid: string; hardware_serial: string }
type Osqueryd = { identity: Identity; root: string; stateFile: string; server: string; secret: string; caFile: string }
type Row = Record<string, string>

/** The tables of this machine as those of the Mac in the folder. */
function tablesOf({ identity, root }: Osqueryd, reports: string[][]) {
  const tables = startWorkerRunner()
  const own: [table: RegExp, changes: Row][] = [
    [/\b(?:system_info|osquery_info)\b/, identity],
    [/\bos_version\b/, { name: 'macOS', version: '14.5', platform: 'darwin' }],
  ]
  const run: typeof tables.run = async (query, facts) => {
    // No check is about this machine.
    if (query.includes('KOLIDE_CHECK_STATUS')) return tables.run("SELECT 'PASS' AS KOLIDE_CHECK_STATUS", facts)
    const answer = await tables.run(query.replaceAll(state, root + state), facts)
    if (!answer.ok) return answer
    const [, changes = {}] = own.find(([table]) => table.test(query)) ?? []
    const rows = answer.rows.map((row) => ({ ...row, ...changes }))
    if (!query.includes(`${state}/link`)) return { ...answer, rows }
    const moved = rows.map((row): Row => ({ ...row, path: (row['path'] ?? '').replace(root + state, state) }))
    reports.push(moved.flatMap(({ type, path = '' }) => (type === 'regular' ? [path.split('/').at(-1) ?? ''] : [])))
    return { ...answer, rows: moved }
  }
  return { run, close: tables.close }
}

/** Starts the osqueryd of a Mac; `reports` gets the files that it reports of its companion, each time. */
function startOsqueryd(osqueryd: Osqueryd, reports: string[][]): () => Promise<void> {
  const { server, secret, caFile, stateFile } = osqueryd
  const stopping = new AbortController()
  const ended = runAgent({
    ...{ server, enrollSecret: secret, caFile, stateFile, signal: stopping.signal },
    runner: tablesOf(osqueryd, reports),
    companion: async () => {},
    log: () => {},
  })
  return async () => {
    stopping.abort()
    await ended
  }
}

type Given = Pick<Osqueryd, 'server' | 'secret' | 'caFile'> & { packaged: Buffer }

/** A Mac with the package and osquery. */
async function openMac(hooks: Hooks, { packaged, ...enrollment }: Given, first: Identity) {
  const mac = standInMac(hooks)
  const folder = join(mac.root, state)
  const reports: string[][] = []
  let identity = first
  let stopCompanion = async (): Promise<unknown> => undefined
  let stopOsqueryd = async (): Promise<void> => {}
  hooks.after(async () => void (await Promise.all([stopCompanion(), stopOsqueryd()])))

  async function install(): Promise<void> {
    const { status, said } = await mac.install(packaged)
    assert.equal(status, 0, said)
    await mac.bringNode()
  }

  const readState = async () => JSON.parse(await readFile(join(folder, 'companion.json'), 'utf8')) as CompanionState

  return {
    ...{ folder, reports, install, readState },
    /** What it is from now on. */
    become: (next: Identity) => {
      identity = next
    },
    startOsqueryd() {
      const osqueryd = { ...enrollment, identity, root: mac.root, stateFile: join(mac.root, 'osquery.db') }
      stopOsqueryd = startOsqueryd(osqueryd, reports)
    },
    stopOsqueryd: () => stopOsqueryd(),
    eraseOsquery: () => rm(join(mac.root, 'osquery.db')),
    async startCompanion(): Promise<void> {
      await writeFile(join(mac.bin, 'osqueryi'), shellOf(identity), { mode: 0o755 })
      const { running, ended } = await mac.launch(join(mac.root, 'var/log/muster-companion.log'))
      stopCompanion = () => {
        running.kill('SIGTERM')
        return ended
      }
    },
    /** As launchd does, which the stand-in for launchctl does not. */
    stopCompanion: () => stopCompanion(),
    uninstall(): void {
      const { status, stderr } = mac.run('sh', join(mac.root, 'opt/muster-companion/uninstall.sh'))
      assert.equal(status, 0, stderr)
    },
    /** What `muster-companion status` ends with, and says. */
    status: () => mac.run(join(mac.root, 'opt/muster-companion/muster-companion'), 'status'),
    linkFiles: () => readdir(join(folder, 'link')).catch(() => []),
    /** Where it answers, once the server knows: by a check-in after this one. */
    async port(since?: string): Promise<number> {
      let port: number | null | undefined
      await until(limitMs, async () => {
        const { checkedIn } = (await readState().catch(() => undefined)) ?? {}
        port = checkedIn?.at === since ? undefined : checkedIn?.port
        return typeof port === 'number'
      })
      return port ?? assert.fail()
    },
  }
}

type Mac = Awaited<ReturnType<typeof openMac>>

const shellOf = (identity: Identity): string => `#!/bin/sh
for sql; do :; done
case "$sql" in
  *system_info*) echo '[${JSON.stringify(identity)}]' ;;
  *) echo '[{"KOLIDE_CHECK_STATUS":"PASS"}]' ;;
esac
`

type Place = { folder: string; run: (...args: string[]) => Promise<string> }

/** The package for Macs, which the server makes once it has a Node for them. */
async function downloadPackage({ folder, run }: Place): Promise<Buffer> {
  const node = await packedNode(madeNode('darwin-arm64'))
  const [nodeFile, packageFile] = [join(folder, 'node.tar.gz'), join(folder, 'companion.pkg')]
  await writeFile(nodeFile, node)
  await run('packages', 'add-runtime', 'darwin-arm64', nodeFile, '--sha256', sha256Of(node))
  const listed = await run('packages', 'list')
  const id = /^(\d+)\s.*muster-companion\S*\.pkg/m.exec(listed)?.[1] ?? assert.fail(listed)
  await run('packages', 'download', id, '--to', packageFile)
  return readFile(packageFile)
}

/** What is done last comes first. */
function reversedHooks(t: TestContext): Hooks {
  const endings: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const end of endings) await end()
  })
  return { after: (work) => void endings.unshift(work) }
}

/** A server that speaks TLS, an application that Ana signs in to, and what Macs are installed from. */
async function openAll(t: TestContext, own: NonNullable<typeof database>) {
  await own.ready
  const hooks = reversedHooks(t)
  const { place, origin } = await openTlsServer(hooks, own)
  const folder = mkdtempSync(join(tmpdir(), 'muster-copies-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const run = async (...args: string[]): Promise<string> => {
    const { exit, out, err } = await place.run(args)
    assert.equal(exit, 0, err)
    return out
  }
  const caller = await addCaller(run, { folder, baseUrl: origin })
  const secret = (await run('enrollment-secrets', 'create', 'Shared')).trim().split(/\s+/).at(-1) ?? ''
  const packaged = await downloadPackage({ folder, run })
  const caFile = place.env['MUSTER_TLS_CA_FILE'] ?? assert.fail()
  const given: Given = { server: origin, secret, caFile, packaged }
  return {
    ...rowsOf(own),
    folder,
    openMac: (identity: Identity) => openMac(hooks, given, identity),
    async signIn(mac: Mac) {
      const { post, status, state: judged, error } = await signInByLoopback(origin, caller, await mac.port())
      return { post, outcome: [status, judged ?? error?.code, error?.detail] }
    },
  }
}

type All = Awaited<ReturnType<typeof openAll>>

/** What the server has of companions, nodes and devices. */
function rowsOf({ db }: NonNullable<typeof database>) {
  const keyOf = (kid: string) => db.selectFrom('companion_keys').selectAll().where('kid', '=', kid).executeTakeFirst()
  return {
    keyOf,
    keyOn: async (mac: Mac) => (await keyOf((await mac.readState()).kid)) ?? assert.fail('no key'),
    deviceOf: ({ hardware_serial: serial }: Identity) =>
      db.selectFrom('devices').selectAll().where('serial', '=', serial).executeTakeFirst(),
    devices: () =>
      db
        .selectFrom('devices')
        .select(['serial', 'device_type', 'registration_suspended_at', 'identity_conflict_since'])
        .orderBy('serial')
        .execute(),
    unconfirmed: () =>
      db.selectFrom('node_key_lookups').select('device_id').where('unconfirmed_until', 'is not', null).execute(),
    async audits(): Promise<string[]> {
      const rows = await db
        .selectFrom('audit_logs')
        .select('action')
        .where('action', 'like', 'device.companion%')
        .orderBy('id')
        .execute()
      return rows.map(({ action }) => (action ?? '').replace('device.companion_', ''))
    },
    /** As if two minutes were over, during which the server hands out no other epoch. */
    ageEpoch: (kid: string) =>
      db
        .updateTable('companion_keys')
        .set({ epoch_at: sql`epoch_at - interval '2 minutes'` })
        .where('kid', '=', kid)
        .execute(),
  }
}

const passed = [200, 'passed', undefined]
/** A first device, which a click registers, and another one. */
const [first, another] = [
  [200, 'register', undefined],
  [200, 'ask_it', undefined],
]
const refused = [403, 'linking', 'not_linked']

const machine = (name: string): Identity => ({
  ...{ uuid: `7A1C4B60-0000-4000-8000-0000000000${name}`, hardware_serial: `C02AAAAAAA${name}` },
})
const [ofA, ofNewBoard, ofB, ofC] = [machine('A1'), machine('A2'), machine('B1'), machine('C1')]

test('the state folder of a Mac appears on another one', { skip }, async (t) => {
  if (!database) return
  const all = await openAll(t, database)
  const [a, b, c] = [await all.openMac(ofA), await all.openMac(ofB), await all.openMac(ofC)]
  for (const mac of [a, b, c]) mac.startOsqueryd()
  for (const one of [ofA, ofB, ofC]) await until(limitMs, async () => (await all.deviceOf(one)) !== undefined)
  await t.test('a Mac links its companion, and its owner signs in', () => installA(all, a))
  await t.test('a copy that is first to check in is refused, and the Mac continues', (step) =>
    copyOfAppearsFirst(all, { own: a, copy: b }, step),
  )
  await t.test('without the state folder of the other Mac it has a key of its own', () => startOver(all, { a, b }))
  await t.test('a copy from an old backup is refused, and the Mac continues', (step) =>
    oldCopyAppears(all, { own: b, copy: c }, step),
  )
  await t.test('a new main board changes nothing', () => changeBoard(all, a))
  await t.test('an erased Mac waits while its key of before is linked', () => eraseB(all, { a, b }))
})

async function expectSignIn(all: All, mac: Mac, outcome: unknown[]) {
  const visit = await all.signIn(mac)
  assert.deepEqual(visit.outcome, outcome)
  return visit
}

/** The package is installed, and the companion linked to the device of its Mac's osqueryd. */
async function linkNewKey(all: All, mac: Mac, identity: Identity): Promise<void> {
  await mac.install()
  await mac.startCompanion()
  await mac.port()
  await until(limitMs, async () => (await all.keyOn(mac)).status === 'linked')
  const device = await all.deviceOf(identity)
  assert.deepEqual([device?.device_type, device?.id], ['Mac', (await all.keyOn(mac)).device_id])
}

async function installA(all: All, a: Mac): Promise<void> {
  await linkNewKey(all, a, ofA)
  const visit = await expectSignIn(all, a, first)
  assert.equal((await visit.post('register')).status, 200)
  await until(limitMs, async () => isDeepStrictEqual((await all.signIn(a)).outcome, passed), 1_000)
}

type Pair = { own: Mac; copy: Mac }

/**
 * The copy is made and started after one more check-in of the Mac. Its epoch is the one before then, whose successor may not have
 * arrived: so the server takes the copy for the Mac, and the Mac, once it speaks, for the second one.
 */
async function copyOfAppearsFirst(all: All, { own, copy }: Pair, step: TestContext): Promise<void> {
  const backup = await backUp(all, own)
  await all.ageEpoch(backup.kid)
  await until(limitMs, async () => (await own.readState()).trust?.epoch !== backup.trust?.epoch)
  await restore(backup, copy)
  assert.equal((await all.keyOn(own)).seen_twice_at, null)
  await decide(all, { own, copy }, { genuine: passed, step })
  assert.deepEqual(await all.audits(), ['linked', 'key_seen_twice'])
  // The copy once more: what was decided needs no other contest.
  await copy.stopCompanion()
  await restore(backup, copy)
  assert.equal((await all.keyOn(own)).contest_ends_at, null)
  await expectSignIn(all, copy, refused)
  await expectSignIn(all, own, passed)
  assert.deepEqual(await all.audits(), ['linked', 'key_seen_twice'])
}

/** The Mac has started twice since the backup, so that the epoch of the copy is spent: it is the second one at once. */
async function oldCopyAppears(all: All, { own, copy }: Pair, step: TestContext): Promise<void> {
  const backup = await backUp(all, own)
  for (const _ of [1, 2]) {
    const { epoch } = await all.keyOn(own)
    await own.stopCompanion()
    await all.ageEpoch(backup.kid)
    await own.startCompanion()
    await until(limitMs, async () => (await own.readState()).trust?.epoch !== epoch)
    await own.port()
  }
  await restore(backup, copy)
  assert.notEqual((await all.keyOn(own)).seen_twice_at, null)
  await decide(all, { own, copy }, { genuine: another, step })
  assert.deepEqual(await all.audits(), ['linked', 'key_seen_twice', 'linked', 'key_seen_twice'])
  await copy.stopCompanion()
}

type Backup = CompanionState & { copied: string }

/** What the state folder holds while nothing is asked. */
async function backUp(all: All, mac: Mac): Promise<Backup> {
  const copied = mkdtempSync(join(all.folder, 'backup-'))
  await until(limitMs, async () => (await mac.linkFiles()).length === 0)
  execFileSync('cp', ['-a', `${mac.folder}/.`, copied])
  return { ...(await mac.readState()), copied }
}

/** Starts the companion with the state folder of another Mac, and resolves once it answers pages. */
async function restore({ copied, checkedIn }: Backup, mac: Mac): Promise<void> {
  await mac.install()
  execFileSync('cp', ['-a', `${copied}/.`, mac.folder])
  await mac.startCompanion()
  await mac.port(checkedIn?.at)
}

/**
 * Both are on, and people sign in on both, until the server knows which of them is on the Mac. On the Mac itself they get in
 * throughout, also while the server takes the copy for it.
 */
async function decide(
  all: All,
  { own, copy }: Pair,
  { genuine, step }: { genuine: unknown[]; step: TestContext },
): Promise<void> {
  const { kid, device_id: deviceId } = await all.keyOn(own)
  assert.equal((await copy.readState()).kid, kid)
  const seen: string[] = []
  await until(
    limitMs,
    async () => {
      await expectSignIn(all, own, genuine)
      seen.push(JSON.stringify((await all.signIn(copy)).outcome))
      const { seen_twice_at: seenAt, contest_ends_at: endsAt } = await all.keyOn(own)
      return seenAt !== null && endsAt === null
      // A companion answers ten pages a second.
    },
    500,
  )
  await until(limitMs, async () => (await copy.readState()).checkedIn?.status === 'linking')
  await expectSignIn(all, copy, refused)
  await expectSignIn(all, own, genuine)
  const key = await all.keyOn(own)
  assert.deepEqual([key.kid, key.status, key.device_id], [kid, 'linked', deviceId])
  // The copy was asked for a file of its own. The osqueryd of the Mac does not see it, and the other osqueryd is not asked.
  const ofCopy = await copy.linkFiles()
  assert.equal(ofCopy.length, 1)
  assert.ok(!own.reports.flat().includes(ofCopy[0] ?? ''))
  assert.deepEqual(copy.reports, [])
  const { status, stdout } = copy.status()
  assert.deepEqual([status, /Link +(.+)/.exec(stdout)?.[1]], [1, 'not linked yet: its key does not count'])
  for (const { registration_suspended_at: at } of await all.devices()) assert.equal(at, null)
  const seconds = (Date.parse(key.confirmed_at ?? '') - Date.parse(key.seen_twice_at ?? '')) / 1000
  step.diagnostic(
    `decided ${seconds} s after the key was seen twice; the copy was answered ${[...new Set(seen)].join(', ')}`,
  )
}

/** The way out on the other Mac: what takes the companion away takes the copied key away, and the next one is its own. */
async function startOver(all: All, { a, b }: { a: Mac; b: Mac }): Promise<void> {
  const { kid } = await a.readState()
  await b.stopCompanion()
  b.uninstall()
  await assert.rejects(b.readState(), { code: 'ENOENT' })
  await linkNewKey(all, b, ofB)
  const own = await all.keyOn(b)
  assert.notEqual(own.kid, kid)
  assert.equal(own.seen_twice_at, null)
  assert.equal((await all.keyOf(kid))?.status, 'linked')
  await expectSignIn(all, b, another)
  await expectSignIn(all, a, passed)
}

/**
 * What osquery tells of the hardware counts when a node or a key enrolls. Neither does: the node key and the companion's key are on the
 * disk, so both speak for the same device, which keeps the serial of the board before.
 */
async function changeBoard(all: All, a: Mac): Promise<void> {
  const before = await all.keyOn(a)
  const { checkedIn } = await a.readState()
  await a.stopCompanion()
  await a.stopOsqueryd()
  a.become(ofNewBoard)
  a.startOsqueryd()
  await a.startCompanion()
  await a.port(checkedIn?.at)
  // A companion that starts proves its link.
  await until(limitMs, async () => ((await all.keyOn(a)).confirmed_at ?? '') > (before.confirmed_at ?? ''))
  const { kid, status, device_id: deviceId, hardware_uuid: uuid, serial } = await all.keyOn(a)
  assert.deepEqual([kid, status, deviceId], [before.kid, 'linked', before.device_id])
  assert.deepEqual([uuid, serial, (await all.deviceOf(ofA))?.id], [ofA.uuid, ofA.hardware_serial, deviceId])
  assert.equal(await all.deviceOf(ofNewBoard), undefined)
  await expectSignIn(all, a, passed)
}

/**
 * Neither the companion's key nor osqueryd's database is there anymore. The node that enrolls as the device is on trial, and shows the
 * file of the new companion, which is not the linked one: neither of them counts. How the trial ends is in the tests of
 * unconfirmed nodes.
 */
async function eraseB(all: All, { a, b }: { a: Mac; b: Mac }): Promise<void> {
  const before = await all.keyOn(b)
  await b.stopCompanion()
  await b.stopOsqueryd()
  b.uninstall()
  await b.eraseOsquery()
  b.startOsqueryd()
  await b.install()
  await b.startCompanion()
  await until(limitMs, async () => (await all.unconfirmed()).some(({ device_id: id }) => id === before.device_id))
  await b.port()
  const shown = async () => {
    const [file] = await b.linkFiles()
    return file !== undefined && b.reports.filter((names) => names.includes(file)).length >= 2
  }
  await until(limitMs, shown)
  const { kid, status, device_id: deviceId } = await all.keyOn(b)
  assert.notEqual(kid, before.kid)
  assert.deepEqual([status, deviceId], ['linking', before.device_id])
  assert.deepEqual(await all.unconfirmed(), [{ device_id: before.device_id }])
  assert.equal((await all.keyOf(before.kid))?.status, 'linked')
  await expectSignIn(all, b, refused)
  await expectSignIn(all, a, passed)
  const doubts = { device_type: 'Mac', registration_suspended_at: null, identity_conflict_since: null }
  assert.deepEqual(
    await all.devices(),
    [ofA, ofB, ofC].map(({ hardware_serial: serial }) => ({ serial, ...doubts })),
  )
}
