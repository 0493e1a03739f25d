import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { QueryAnswer } from '../../sql/open-engine.ts'
import { noCost } from '../../sql/query-runner.ts'
import { macPeers } from './peers-on-mac.ts'

const ourPort = 15_861

// Nothing here was recorded on a Mac. What lsof writes follows lsof(8), "OUTPUT FOR OTHER PROGRAMS", as its revision 4.95 writes it on Linux,
// and what people report of their Macs; osquery's rows follow the specifications of process_open_sockets and processes.
const safari = 'p512\nccom.apple.WebKit.Networking\nu501\nn127.0.0.1:52001->127.0.0.1:15861\n'
const chrome = String.raw`p730
cGoogle\x20Chrome\x20Helper
u501
n192.0.2.10:61234->198.51.100.7:443
n127.0.0.1:52002->127.0.0.1:15861
`
const companion =
  'p88\ncnode\nu0\nn127.0.0.1:15861\nn127.0.0.1:15861->127.0.0.1:52001\nn127.0.0.1:15861->127.0.0.1:52002\n'

/** A program in place of lsof, which notes each start. */
function lsofThat(t: TestContext, does: string) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-lsof-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [lsof, starts] = [join(folder, 'lsof'), join(folder, 'starts')]
  writeFileSync(starts, '')
  writeFileSync(lsof, `#!/bin/sh\necho "$*" >> ${starts}\n${does}\n`, { mode: 0o755 })
  return { lsof, starts: () => readFileSync(starts, 'utf8').split('\n').slice(0, -1) }
}

const writing = (text: string) => `cat <<'END'\n${text}END`

/** What osquery answers, and what it was asked. */
function osquery(rows: readonly Record<string, string>[] | 'no answer' | 'an error' = 'no answer') {
  const asked: string[] = []
  const run = async (sql: string): Promise<QueryAnswer | undefined> => {
    asked.push(sql)
    if (rows === 'no answer') return undefined
    if (rows === 'an error') return { ok: false, message: 'no such table', cost: noCost }
    return { ok: true, rows: [...rows], cost: noCost }
  }
  return { run, asked }
}

test('each browser is told by its own side of its connection, and osquery is not asked', async (t) => {
  const { lsof } = lsofThat(t, writing(companion + safari + chrome))
  const { run, asked } = osquery()
  const find = macPeers({ run, lsof })
  assert.deepEqual(await find(52_001, ourPort), { uid: 501, program: 'com.apple.WebKit.Networking' })
  assert.deepEqual(await find(52_002, ourPort), { uid: 501, program: 'Google Chrome Helper' })
  assert.deepEqual(asked, [])
})

test('a relay, another user, a name in other letters, and a process that has the socket from another one', async (t) => {
  const of = (port: number) => `n127.0.0.1:${port}->127.0.0.1:15861\n`
  const { lsof } = lsofThat(
    t,
    writing(
      [
        `p301\ncsshd-session\nu502\n${of(52_003)}`,
        `p302\n${String.raw`cAn\xc3\xa4\x20M\xc3\xbcller`}\nu503\n${of(52_004)}`,
        `p303\ncfirst\nu501\n${of(52_005)}p304\ncsecond\nu501\n${of(52_005)}`,
        `p305\ncmapped\nu501\nn[::ffff:127.0.0.1]:52006->[::ffff:127.0.0.1]:15861\n`,
        `p306\nc\nu501\n${of(52_007)}`,
        `p307\nc${'x'.repeat(80)}\nu4294967294\n${of(52_008)}`,
      ].join(''),
    ),
  )
  const find = macPeers({ ...osquery(), lsof })
  const found = await Promise.all([52_003, 52_004, 52_005, 52_006, 52_007, 52_008].map((port) => find(port, ourPort)))
  assert.deepEqual(found, [
    { uid: 502, program: 'sshd-session' },
    { uid: 503, program: 'Anä Müller' },
    { uid: 501, program: 'first' },
    { uid: 501, program: 'mapped' },
    { uid: 501, program: null },
    { uid: 4_294_967_294, program: 'x'.repeat(64) },
  ])
})

test('nobody is told of a connection of another address or port, or of a process without a user', async (t) => {
  const { lsof } = lsofThat(
    t,
    writing(
      [
        'p1\ncremote\nu501\nn192.0.2.10:52001->192.0.2.10:15861\n',
        'p2\ncother\nu501\nn127.0.0.1:52001->127.0.0.1:15862\n',
        'p3\nclocal\nu501\nn[::1]:52001->[::1]:15861\n',
        'p4\ncwho\nn127.0.0.1:52001->127.0.0.1:15861\n',
        'p5\nclisten\nu501\nn127.0.0.1:15861\nn*:15861\n',
      ].join(''),
    ),
  )
  assert.equal(await macPeers({ ...osquery([]), lsof })(52_001, ourPort), null)
})

const row = { local_address: '127.0.0.1', local_port: '52001', remote_address: '127.0.0.1', uid: '501' }

test('osquery is asked where lsof tells nothing, and what neither tells is unknown', async (t) => {
  const { lsof } = lsofThat(t, 'echo "lsof: no pwd entry" >&2; exit 1')
  const rows = [
    { ...row, local_address: '192.0.2.10' },
    { ...row, path: '/Applications/Firefox.app/Contents/MacOS/firefox', name: 'firefox' },
    { ...row, path: '/usr/bin/later', name: 'later' },
    { ...row, local_port: '52002', uid: '-2', path: '', name: 'kernel_task' },
  ]
  const { run, asked } = osquery(rows)
  const find = macPeers({ run, lsof })
  assert.deepEqual(await find(52_001, ourPort), { uid: 501, program: 'firefox' })
  assert.deepEqual(await find(52_002, ourPort), { uid: 4_294_967_294, program: 'kernel_task' })
  assert.equal(await find(52_003, ourPort), null)
  assert.match(asked[0] ?? '', /remote_port = 15861\b/)
  for (const silent of ['no answer', 'an error'] as const) {
    assert.equal(await macPeers({ ...osquery(silent), lsof: '/nowhere/lsof' })(52_001, ourPort), null)
  }
})

test('fifty challenges at once start lsof twice, one after the other', async (t) => {
  const { lsof, starts } = lsofThat(t, `sleep 0.2\n${writing(safari)}`)
  const find = macPeers({ ...osquery(), lsof })
  const found = await Promise.all(Array.from({ length: 50 }, () => find(52_001, ourPort)))
  assert.ok(found.every((peer) => peer?.uid === 501))
  assert.deepEqual(starts(), Array(2).fill('-n -P -l -b -w -iTCP:15861 -F pcun'))
})

test('nobody waits for what hangs, and it is not started again while it hangs', async (t) => {
  // Its child keeps the output open after it was killed, as a process that hangs in the kernel stays after its signal.
  const { lsof, starts } = lsofThat(t, 'sleep 20 & echo $! > "$0.child"; wait')
  const { run, asked } = osquery([{ ...row, path: '/usr/bin/curl', name: 'curl' }])
  const find = macPeers({ run, lsof })
  assert.deepEqual(await find(52_001, ourPort), { uid: 501, program: 'curl' })
  assert.deepEqual(await find(52_001, ourPort), { uid: 501, program: 'curl' })
  process.kill(Number(readFileSync(`${lsof}.child`, 'utf8')), 'SIGKILL')
  assert.deepEqual([starts().length, asked.length], [1, 2])
  const never = () => new Promise<undefined>(() => {})
  assert.equal(await macPeers({ run: never, lsof: '/nowhere/lsof', limitMs: 20 })(52_001, ourPort), null)
})

const realLsof = '/usr/bin/lsof'

test('what lsof itself writes is read, with a name that has a space', {
  skip: !existsSync(realLsof) && 'lsof is not installed',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-browser-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'a browser')
  copyFileSync('/bin/bash', program)
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as net.AddressInfo
  const child = spawn(program, ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}; read -r line <&3`])
  t.after(() => child.kill('SIGKILL'))
  const [socket] = (await once(server, 'connection')) as [net.Socket]
  t.after(() => socket.destroy())
  const find = macPeers({ ...osquery(), lsof: realLsof })
  const uid = process.getuid?.() ?? 0
  assert.deepEqual(await find(socket.remotePort ?? 0, port), { uid, program: 'a browser' })
})
