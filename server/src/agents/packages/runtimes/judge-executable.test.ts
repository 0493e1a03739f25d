import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RuntimeSystem, runtimeSystems } from '@muster/contract/packages.ts'
import { madeNode } from '../../../../test/support/made-node.ts'
import { faultOfExecutable, systemOf } from './judge-executable.ts'
import { pinnedRuntimes } from './pinned-runtimes.ts'
import { executableReader } from './read-executable.ts'

/** In pieces of this many bytes. */
async function factsOf(bytes: Buffer, piece = 65_536) {
  const reader = executableReader()
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  const passed: Buffer[] = []
  for await (const one of reader.pass(pieces())) passed.push(one)
  assert.ok(Buffer.concat(passed).equals(bytes))
  return reader.facts()
}

const faultOf = async (system: RuntimeSystem, bytes: Buffer) => faultOfExecutable(system, await factsOf(bytes))

for (const system of runtimeSystems) {
  test(`a Node for ${system} is known by its first bytes, and taken for no other system`, async () => {
    const executable = madeNode(system)
    assert.equal(systemOf(executable.subarray(0, 4096)), system)
    for (const wanted of runtimeSystems) {
      const fault = await faultOf(wanted, executable)
      assert.equal(fault, wanted === system ? undefined : `is for ${system}, not for ${wanted}`)
    }
  })

  test(`the table has a package, a version, a hash and a size for ${system}`, () => {
    const { package: name, version, integrity, size } = pinnedRuntimes[system]
    assert.match(name, new RegExp(`^node-(?:bin-)?${system}$`))
    assert.match(version, /^\d+\.\d+\.\d+$/)
    assert.equal(Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').length, 64)
    assert.ok(size > 30e6 && size < 70e6)
  })
}

test('version and libraries are found wherever a stream is cut', async () => {
  for (const piece of [1 << 16, 65_536 - 20, 4_000, 61]) {
    const facts = await factsOf(madeNode('linux-arm64', { libraries: 'libatomic.so.1', bytes: 1 << 17 }), piece)
    assert.deepEqual([facts.version, facts.needsLibatomic, facts.size], ['26.1.0', true, 1 << 17], String(piece))
  }
  assert.equal((await factsOf(madeNode('linux-x64'))).needsLibatomic, false)
})

test('what is no Node for any system, another program, too old or for another C library is refused', async () => {
  const said: [Buffer, RegExp][] = [
    [Buffer.from('short'), /^holds no Node for a system that Muster knows$/],
    [Buffer.alloc(8192, 'text '), /^holds no Node for a system/],
    [Buffer.concat([Buffer.from('MZ'), Buffer.alloc(62, 0xff), Buffer.alloc(64)]), /^holds no Node for a system/],
    [madeNode('linux-arm64').fill(0, 4096), /^holds a program that is not Node$/],
    [madeNode('linux-arm64', { version: '22.23.3' }), /^holds Node 22\.23\.3: give Node 24 or later$/],
    [madeNode('linux-arm64', { interpreter: '/lib/ld-musl-aarch64.so.1' }), /^needs another C library than glibc$/],
  ]
  for (const [bytes, fault] of said) assert.match((await faultOf('linux-arm64', bytes)) ?? '', fault)
  const i386 = madeNode('linux-x64')
  i386.writeUInt16LE(3, 18)
  assert.match((await faultOf('linux-x64', i386)) ?? '', /^holds no Node for a system/)
})
