import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runAgent } from '@muster/agent/run-agent.ts'
import { startWorkerRunner } from '@muster/agent/sql/start-worker-runner.ts'
import { engine, testDatabase } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { scratchRoot, withoutDpkg } from '../support/scratch-root.ts'
import { openTlsServer } from '../support/tls-server.ts'
import { signInByLoopback } from './sign-in-by-loopback.ts'
import { addCaller } from './sign-in-place.ts'

const database = engine === 'postgres' ? testDatabase() : undefined
const limitMs = 120_000
const state = '/var/lib/muster-companion'
const machine = { uuid: '4C4C4544-0042-3510-8056-00000000D0DE', hardware_serial: 'PF00D0DE' }

const skip =
  withoutDpkg ||
  (process.platform !== 'linux' && 'needs Linux') ||
  (existsSync(state) && `needs ${state} for itself`) ||
  (engine !== 'postgres' && 'needs PostgreSQL')

test('a package beside osqueryd links, signs in, and goes on after osquery has lost its database', {
  skip,
}, async (t) => {
  if (!database) return
  await database.ready
  const { db } = database
  const { place, origin, key } = await openTlsServer(t, database)
  const { folder, root, dpkg } = await scratchRoot(t)
  t.after(() => rm(state, { recursive: true, force: true }))
  const run = async (...args: string[]): Promise<string> => {
    const { exit, out, err } = await place.run(args)
    assert.equal(exit, 0, err)
    return out
  }
  const caller = await addCaller(run, { folder, baseUrl: origin })
  const secret = (await run('enrollment-secrets', 'create', 'Shared')).trim().split(/\s+/).at(-1) ?? ''
  const ca = join(root, 'etc/muster-companion/server-ca.pem')

  const listed = await run('packages', 'list')
  const id = /^(\d+)\s.*muster-companion_\S+\.deb/m.exec(listed)?.[1] ?? assert.fail(listed)
  await run('packages', 'download', id, '--to', join(folder, 'companion.deb'))
  await dpkg('-i', join(folder, 'companion.deb'))

  // osqueryd: the tables of this machine, and a database that can be deleted.
  const osqueryd = { database: join(folder, 'osquery.db'), stop: async () => {} }
  async function startOsqueryd(): Promise<void> {
    const stopping = new AbortController()
    const tables = startWorkerRunner()
    const ended = runAgent({
      ...{ server: origin, enrollSecret: secret, caFile: ca, stateFile: osqueryd.database, signal: stopping.signal },
      runner: {
        run: async (sql, facts) => {
          const answer = await tables.run(sql, facts)
          if (!answer.ok || !/\bsystem_info\b/.test(sql)) return answer
          return { ...answer, rows: answer.rows.map((row) => ({ ...row, ...machine })) }
        },
        close: tables.close,
      },
      companion: async () => {},
      log: () => {},
    })
    osqueryd.stop = async () => {
      stopping.abort()
      await ended
    }
  }
  t.after(() => osqueryd.stop())

  const bin = join(folder, 'bin')
  await mkdir(bin)
  const shell = `#!/bin/sh
for sql; do :; done
case "$sql" in
  *system_info*) echo '[${JSON.stringify(machine)}]' ;;
  *os_version*) echo '[{"name":"Debian GNU/Linux","version":"12","arch":"x86_64"}]' ;;
  *osquery_info*) echo '[{"version":"5.23.1"}]' ;;
  *"from file"*) stat -c '[{"path":"%n","type":"directory","uid":"%u","gid":"%g","mode":"0%a"}]' ${state}/link ;;
  *) echo '[{"KOLIDE_CHECK_STATUS":"PASS"}]' ;;
esac
`
  await writeFile(join(bin, 'osqueryi'), shell)
  await chmod(join(bin, 'osqueryi'), 0o755)
  const env = { PATH: `${bin}:/usr/bin:/bin`, STATE_DIRECTORY: state, NODE_COMPILE_CACHE: join(folder, 'cache') }
  const launcher = join(root, 'usr/lib/muster-companion/muster-companion')
  const companion = spawn(launcher, [join(root, 'etc/muster-companion/companion.json')], { env, cwd: '/' })
  t.after(async () => {
    if (companion.exitCode === null) companion.kill('SIGKILL')
  })
  await startOsqueryd()

  const ask = async (path: string) => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` } })
    return (await response.json()) as { data: Record<string, unknown>[] }
  }
  const keyOf = () => db.selectFrom('companion_keys').selectAll().executeTakeFirst()
  await until(limitMs, async () => (await keyOf())?.status === 'linked')
  await until(limitMs, async () => typeof (await keyOf())?.port === 'number')
  const { mode } = await stat(join(state, 'companion.json'))
  assert.equal((mode & 0o777).toString(8), '600')

  const signIn = async () => signInByLoopback(origin, caller, (await keyOf())?.port ?? 0)
  const first = await signIn()
  assert.equal(first.state, 'register')
  assert.equal((await first.post('register', {})).status, 200)
  const passes = async () => (await signIn()).state === 'passed'
  await until(limitMs, passes, 1_000)

  await osqueryd.stop()
  await rm(osqueryd.database)
  const before = await nodes()
  assert.ok(await passes(), 'the sign-in does not need osquery')
  await startOsqueryd()
  const isReplaced = async () => {
    const [node, ...others] = await nodes()
    return (
      others.length === 0 &&
      node?.unconfirmed_until === null &&
      !node.lookup_hash.equals(before[0]?.lookup_hash ?? node.lookup_hash)
    )
  }
  const isOnTrial = async () => (await nodes()).some(({ unconfirmed_until: endsAt }) => endsAt !== null)
  // It may be on trial for less time than lies between two looks.
  await until(limitMs, async () => (await isOnTrial()) || (await isReplaced()))
  assert.ok(await passes(), 'the sign-in does not wait for osquery')
  await until(limitMs, isReplaced)
  assert.ok(await passes())
  const [device, ...others] = (await ask('/devices')).data
  assert.equal(others.length, 0)
  assert.notEqual(device?.['registered_owner_info'], null)
  const doubts = await db
    .selectFrom('devices')
    .select(['registration_suspended_at', 'identity_conflict_since'])
    .execute()
  assert.deepEqual(doubts, [{ registration_suspended_at: null, identity_conflict_since: null }])

  const selftest = await promisify(execFile)(launcher, ['selftest'], { env, cwd: '/' })
  const lines = [
    'System +\\| Debian GNU/Linux 12 x86_64',
    `Folder +\\| ${state}, mode 0700`,
    'Link by osquery +\\| the folder of user 0',
  ]
  for (const line of [
    ...lines,
    'Link +\\| linked: it proves this device',
    'Answer to the sign-in page +\\| greeted',
    'People +\\| \\d',
  ])
    assert.match(selftest.stdout, new RegExp(`^\\| ${line}.*\\| ok +\\|$`, 'm'))
  assert.match(selftest.stdout, /^\| Who asks +\| this program is told as user 0, program node +\| ok/m)
  assert.ok(
    ![machine.uuid, machine.hardware_serial, secret, new URL(origin).host].some((one) => selftest.stdout.includes(one)),
  )

  companion.kill('SIGTERM')
  const [code] = await once(companion, 'exit')
  assert.deepEqual([code, await readdir(join(state, 'link'))], [0, []])
  await dpkg('-P', 'muster-companion')
  assert.equal(existsSync(join(root, 'usr/lib/muster-companion')), false)

  function nodes() {
    return db.selectFrom('node_key_lookups').select(['lookup_hash', 'unconfirmed_until']).execute()
  }
})
