import assert from 'node:assert/strict'

type Listed = { path: string; mode: number; uid: number; gid: number; size: number; cksum: number }

/** The paths of a Bom in its order. */
export function readBom(bytes: Buffer): Listed[] {
  assert.equal(bytes.toString('latin1', 0, 8), 'BOMStore')
  const [indexAt, namesAt] = [bytes.readUInt32BE(16), bytes.readUInt32BE(24)]
  const block = (number: number): Buffer => {
    const at = indexAt + 4 + 8 * number
    return bytes.subarray(bytes.readUInt32BE(at), bytes.readUInt32BE(at) + bytes.readUInt32BE(at + 4))
  }
  const variables = new Map<string, Buffer>()
  let at = namesAt + 4
  for (let left = bytes.readUInt32BE(namesAt); left > 0; left -= 1) {
    const length = bytes.readUInt8(at + 4)
    variables.set(bytes.toString('latin1', at + 5, at + 5 + length), block(bytes.readUInt32BE(at)))
    at += 5 + length
  }
  assert.deepEqual([...variables.keys()].toSorted(), ['BomInfo', 'HLIndex', 'Paths', 'Size64', 'VIndex'])
  const tree = variables.get('Paths') ?? assert.fail()
  assert.equal(tree.toString('latin1', 0, 4), 'tree')
  const leaf = block(tree.readUInt32BE(8))
  const paths = new Map<number, string>()
  const listed = Array.from({ length: leaf.readUInt16BE(2) }, (_, index) => {
    const [info, named] = [block(leaf.readUInt32BE(12 + 8 * index)), block(leaf.readUInt32BE(16 + 8 * index))]
    const above = paths.get(named.readUInt32BE(0))
    const name = named.toString('latin1', 4, named.length - 1)
    const path = above === undefined ? name : `${above}/${name}`
    paths.set(info.readUInt32BE(0), path)
    const facts = block(info.readUInt32BE(4))
    const [mode, uid, gid] = [facts.readUInt16BE(4), facts.readUInt32BE(6), facts.readUInt32BE(10)]
    return { path, mode, uid, gid, size: facts.readUInt32BE(18), cksum: facts.readUInt32BE(23) }
  })
  assert.equal(tree.readUInt32BE(16), listed.length)
  // One more than there are, as Apple's own count.
  assert.equal(variables.get('BomInfo')?.readUInt32BE(4), listed.length + 1)
  return listed
}
