import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findPeer } from './peer.ts'

const skip = process.platform === 'linux' ? false : 'the peer is known on Linux only'
const uid = process.getuid?.() ?? 0

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-peer-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

async function listen(t: TestContext) {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { server, port: (server.address() as net.AddressInfo).port }
}

async function connectionAt(server: net.Server): Promise<net.Socket> {
  const [socket] = (await once(server, 'connection')) as [net.Socket]
  return socket
}

test('a program that connects by itself is told with its user', { skip }, async (t) => {
  const { server, port } = await listen(t)
  const client = net.connect(port, '127.0.0.1')
  t.after(() => client.destroy())
  const { remotePort = 0 } = await connectionAt(server)
  assert.deepEqual(await findPeer(remotePort, port), { uid, program: 'node' })
  assert.equal(await findPeer(port, remotePort + 1), null)
})

const relay = `
const net = require('node:net')
const server = net.createServer((near) => {
  const far = net.connect(Number(process.argv[1]), '127.0.0.1')
  near.pipe(far).pipe(near)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

test('of a connection through a relay the relay is told, and not the program behind it', { skip }, async (t) => {
  const { server, port } = await listen(t)
  const program = join(folderOf(t), 'sshd')
  copyFileSync(process.execPath, program)
  const child = spawn(program, ['-e', relay, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const [line] = await once(child.stdout, 'data')
  const browser = net.connect(Number(line), '127.0.0.1')
  t.after(() => browser.destroy())
  const { remotePort = 0 } = await connectionAt(server)
  assert.deepEqual(await findPeer(remotePort, port), { uid, program: 'sshd' })
  rmSync(program)
  assert.deepEqual(await findPeer(remotePort, port), { uid, program: 'sshd' }, 'after an update of the program')
})

/** A folder like /proc with one connection of `uid` from port 54321 to port 15861. */
function procWith(t: TestContext, { address = '0100007F', inode = 77, table = 'tcp', owner = uid } = {}) {
  const proc = folderOf(t)
  mkdirSync(join(proc, 'net'))
  const ends = `${address}:D431 ${address}:3DF5 01 00000000:00000000 02:00000000 00000000`
  writeFileSync(join(proc, 'net', table), `  sl  local_address rem_address\n  12: ${ends} ${owner} 0 ${inode} 1 0\n`)
  function add(pid: number, links: string[], exe: string | undefined = '/usr/bin/browser', comm = 'a name') {
    const folder = join(proc, String(pid))
    mkdirSync(join(folder, 'fd'), { recursive: true })
    for (const [index, link] of links.entries()) symlinkSync(link, join(folder, 'fd', String(index)))
    if (exe !== '') symlinkSync(exe, join(folder, 'exe'))
    writeFileSync(join(folder, 'comm'), `${comm}\n`)
  }
  return { add, find: (maxDescriptors = 100) => findPeer(54_321, 15_861, { proc, maxDescriptors }) }
}

const held = ['/dev/null', 'socket:[770]', 'socket:[77]']

test('of several processes that hold the socket the one that was there first is told', { skip }, async (t) => {
  const { add, find } = procWith(t)
  add(100, held, '/usr/bin/helper')
  add(99, held, '/usr/sbin/sshd')
  add(9, ['/dev/null'], '/usr/bin/init')
  assert.deepEqual(await find(), { uid, program: 'sshd' })
})

test('a program has at most 64 characters, and the name of its process where its file cannot be read', {
  skip,
}, async (t) => {
  const long = procWith(t)
  long.add(9, held, `/opt/${'é'.repeat(70)}`)
  assert.deepEqual(await long.find(), { uid, program: 'é'.repeat(64) })
  const nameless = procWith(t, { table: 'tcp6', address: '0000000000000000FFFF00000100007F' })
  nameless.add(9, held, '')
  assert.deepEqual(await nameless.find(), { uid, program: 'a name' })
})

test('the user alone is told where no process of it is seen with the socket', { skip }, async (t) => {
  const { add, find } = procWith(t, { owner: uid + 1 })
  add(9, held)
  assert.deepEqual(await find(), { uid: uid + 1, program: null })
})

test('nobody is told for a socket that was left, and for one of another address', { skip }, async (t) => {
  for (const other of [{ inode: 0 }, { address: '0200007F' }, { address: '0000000000000000FFFF00000200007F' }]) {
    const { add, find } = procWith(t, other)
    add(9, held)
    assert.equal(await find(), null)
  }
})

test('a user with more open files than can be looked at in time has no program', { skip }, async (t) => {
  const { add, find } = procWith(t)
  add(8, Array(5).fill('/dev/null'))
  add(9, held)
  assert.deepEqual(await find(8), { uid, program: 'browser' })
  assert.deepEqual(await find(7), { uid, program: null })
  assert.deepEqual(await find(5), { uid, program: null })
})
