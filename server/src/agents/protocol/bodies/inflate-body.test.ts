import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { inflateBody } from './inflate-body.ts'

const mebibyte = 2 ** 20
const inflate = (bytes: Buffer, isCut = false) => inflateBody({ bytes, isCut })
const text = Buffer.from(randomBytes(mebibyte).toString('hex'))

test('a body is inflated whole up to the bound, to the byte', async () => {
  assert.deepEqual(await inflate(gzipSync(text)), { bytes: text, isCut: false })
  assert.deepEqual(await inflate(text), { bytes: text, isCut: false })
  const longest = Buffer.concat(Array.from({ length: 8 }, () => text))
  assert.equal(longest.length, 16 * mebibyte)
  const whole = await inflate(gzipSync(longest, { level: 1 }))
  assert.ok(whole?.bytes.equals(longest))
  assert.equal(whole?.isCut, false)
  const longer = await inflate(gzipSync(Buffer.concat([longest, Buffer.from('x')]), { level: 1 }))
  assert.ok(longer?.bytes.equals(longest))
  assert.equal(longer?.isCut, true)
})

test('a body that says much with little is inflated to 200 times its length, or a MiB', async () => {
  const short = gzipSync(Buffer.alloc(4 * mebibyte, 'x'))
  assert.ok(200 * short.length < mebibyte)
  assert.deepEqual(await inflate(short), { bytes: Buffer.alloc(mebibyte, 'x'), isCut: true })
  const bomb = gzipSync(Buffer.alloc(64 * mebibyte, 'x'))
  assert.ok(200 * bomb.length > mebibyte)
  assert.deepEqual(await inflate(bomb), { bytes: Buffer.alloc(200 * bomb.length, 'x'), isCut: true })
})

test('a compressed body that was cut gives what came of it, and a broken one nothing', async () => {
  const zipped = gzipSync(text)
  const half = zipped.subarray(0, zipped.length / 2)
  const cut = await inflate(half, true)
  assert.ok(cut && cut.bytes.length > mebibyte / 2 && cut.bytes.equals(text.subarray(0, cut.bytes.length)))
  assert.equal(cut.isCut, true)
  assert.equal(await inflate(half), undefined)
  const broken = Buffer.from(zipped)
  broken.fill(0xff, 100_000, 100_100)
  assert.equal(await inflate(broken), undefined)
  assert.equal(await inflate(Buffer.from([0x1f, 0x8b])), undefined)
})
