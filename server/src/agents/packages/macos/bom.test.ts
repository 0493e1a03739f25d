import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BomFile, writeBom } from './bom.ts'

const mtime = 1_795_168_800

function readStore(bom: Buffer) {
  const word = (at: number) => bom.readUInt32BE(at)
  const [indexOffset, namedOffset] = [word(16), word(24)]
  const block = (number: number) => {
    assert.ok(number > 0 && number < word(indexOffset), `a block ${number}`)
    const pointer = indexOffset + 4 + 8 * number
    return bom.subarray(word(pointer), word(pointer) + word(pointer + 4))
  }
  const variables = new Map<string, number>()
  let at = namedOffset + 4
  for (let left = word(namedOffset); left > 0; left--) {
    const length = bom.readUInt8(at + 4)
    variables.set(bom.toString('latin1', at + 5, at + 5 + length), word(at))
    at += 5 + length
  }
  assert.equal(at, namedOffset + word(28), 'the variables end where the header says')
  return { block, variables, blocks: word(indexOffset), named: (name: string) => block(variables.get(name) ?? 0) }
}

type Store = ReturnType<typeof readStore>

function readTree({ block }: Store, tree: Buffer) {
  assert.equal(tree.toString('latin1', 0, 4), 'tree')
  assert.equal(tree.length, 21)
  const page = block(tree.readUInt32BE(8))
  assert.equal(page.length, tree.readUInt32BE(12), 'a page is filled up')
  assert.equal(page.readUInt16BE(0), 1)
  assert.equal(page.readUInt16BE(2), tree.readUInt32BE(16))
  return Array.from({ length: page.readUInt16BE(2) }, (_, index) => ({
    key: block(page.readUInt32BE(12 + 8 * index)),
    value: block(page.readUInt32BE(16 + 8 * index)),
  }))
}

function readPaths(store: Store) {
  return readTree(store, store.named('Paths')).map(({ key, value }) => {
    const info = store.block(key.readUInt32BE(4))
    assert.equal(value.at(-1), 0)
    return {
      id: key.readUInt32BE(0),
      parent: value.readUInt32BE(0),
      name: value.toString('latin1', 4, value.length - 1),
      type: info.readUInt8(0),
      mode: info.readUInt16BE(4).toString(8),
      owner: [info.readUInt32BE(6), info.readUInt32BE(10)],
      mtime: info.readUInt32BE(14),
      size: info.readUInt32BE(18),
      cksum: info.readUInt32BE(23),
      bytes: info.toString('hex'),
    }
  })
}

const file = (path: string, changes: Partial<BomFile> = {}): BomFile => ({
  path,
  mode: 0o644,
  size: 0,
  cksum: 4_294_967_295,
  ...changes,
})

test('a bill of materials lists root, folders and files, breadth first and by name', () => {
  const node = file('opt/m/bin/node', { mode: 0o755, size: 147_000_000, cksum: 930_766_865 })
  const bom = writeBom([file('opt/m/z.mjs'), node, file('Library/d.plist'), file('opt/m/B')], mtime)
  const paths = readPaths(readStore(bom))
  assert.deepEqual(
    paths.map(({ id, parent, name, mode }) => `${id} in ${parent}: ${name} ${mode}`),
    [
      '1 in 0: . 40755',
      '2 in 1: Library 40755',
      '3 in 1: opt 40755',
      '4 in 2: d.plist 100644',
      '5 in 3: m 40755',
      '6 in 5: B 100644',
      '7 in 5: bin 40755',
      '8 in 5: z.mjs 100644',
      '9 in 7: node 100755',
    ],
  )
  assert.ok(paths.every(({ owner, mtime: time }) => owner.join() === '0,0' && time === mtime))
  const [root, last] = [paths[0], paths[8]]
  assert.deepEqual([root?.type, root?.size, root?.cksum], [2, 0, 0])
  assert.deepEqual([last?.type, last?.size, last?.cksum], [1, node.size, node.cksum])
  // Byte by byte as Apple's own tools write such a folder and such a file.
  assert.equal(root?.bytes, '0201000f41ed00000000000000006b001a20000000000100000000' + '00000000')
  assert.equal(last?.bytes, '0101000f81ed00000000000000006b001a2008c30ac001377a6011' + '0000000000000000')
})

test('the store has its header, five variables and an index up to its end', () => {
  const bom = writeBom([file('a', { size: 5 }), file('b', { size: 7 })], mtime)
  const store = readStore(bom)
  assert.equal(bom.toString('latin1', 0, 8), 'BOMStore')
  assert.equal(bom.readUInt32BE(8), 1)
  assert.equal(bom.readUInt32BE(12), store.blocks - 1, 'all blocks but the first, which is none')
  assert.equal(bom.readUInt32BE(16) + bom.readUInt32BE(20), bom.length)
  assert.deepEqual(bom.subarray(32, 512), Buffer.alloc(480))
  assert.deepEqual([...store.variables.keys()], ['BomInfo', 'Paths', 'HLIndex', 'VIndex', 'Size64'])
  const info = store.named('BomInfo')
  assert.deepEqual(
    [0, 4, 8, 12, 16, 20, 24].map((at) => info.readUInt32BE(at)),
    [1, 4, 1, 0, 0, 12, 0],
  )
  const patterns = store.block(store.named('VIndex').readUInt32BE(4))
  for (const tree of [store.named('HLIndex'), store.named('Size64'), patterns]) {
    assert.deepEqual(readTree(store, tree), [])
  }
})

test('what a bill of materials has no room for is refused', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => file(`a${index}`))
  assert.equal(readPaths(readStore(writeBom(many(255), mtime))).length, 256)
  assert.throws(() => writeBom(many(256), mtime), /257 files and folders: 256 are the most/)
  assert.throws(() => writeBom([file('a', { size: 2 ** 32 })], mtime), /Too large/)
  assert.throws(() => writeBom([file('a', { mode: 0o100644 })], mtime), /Not permission bits/)
  assert.throws(() => writeBom([file('a'), file('a')], mtime), /Twice/)
})
