// The container of a bill of materials, "BOMStore". Apple has not described it; what stands here is known from files of
// its own tools, as notes and programs of several people agree on it. All numbers are big-endian.

/** A key and a value, each the number of a block. */
export type TreeEntry = readonly [key: number, value: number]

export type BomStore = {
  /** Answers with the number of the block, by which others name it; they count from 1. */
  add(block: Buffer): number
  /** A tree of one leaf; `pageSize` is in bytes. Answers with the number of its block. */
  addTree(entries: readonly TreeEntry[], pageSize: number): number
  name(variable: string, block: number): void
  toBytes(): Buffer
}

const headerSize = 512

/** How many entries a leaf takes: as many as other writers put into a page of 4,096 bytes. */
const mostEntries = 256

/** 32-bit numbers, one after the other. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

function leafPage(entries: readonly TreeEntry[], pageSize: number): Buffer {
  if (entries.length > mostEntries) {
    throw new Error(`A bill of materials of ${entries.length} files and folders: ${mostEntries} are the most`)
  }
  const page = Buffer.alloc(pageSize)
  page.writeUInt16BE(1, 0) // a leaf
  page.writeUInt16BE(entries.length, 2)
  // 4 to 12 are the pages after and before it: none.
  words(...entries.flat()).copy(page, 12)
  return page
}

function variableBlock(variables: ReadonlyMap<string, number>): Buffer {
  const each = [...variables].flatMap(([name, block]) => [words(block), Buffer.from([name.length]), Buffer.from(name)])
  return Buffer.concat([words(variables.size), ...each])
}

/** Where each block is and how long, after one that is none; then the free ones: none, and yet two empty places. */
function indexBlock(blocks: readonly Buffer[]): Buffer {
  let offset = headerSize
  const pointers = blocks.map(({ length }) => {
    const pointer = words(offset, length)
    offset += length
    return pointer
  })
  return Buffer.concat([words(blocks.length + 1), words(0, 0), ...pointers, words(0), words(0, 0, 0, 0)])
}

function storeBytes(blocks: readonly Buffer[], variables: ReadonlyMap<string, number>): Buffer {
  const index = indexBlock(blocks)
  const named = variableBlock(variables)
  const namedOffset = blocks.reduce((offset, { length }) => offset + length, headerSize)
  const indexOffset = namedOffset + named.length
  const header = Buffer.alloc(headerSize)
  header.write('BOMStore', 'latin1')
  words(1, blocks.length, indexOffset, index.length, namedOffset, named.length).copy(header, 8)
  return Buffer.concat([header, ...blocks, named, index])
}

export function bomStore(): BomStore {
  const blocks: Buffer[] = []
  const variables = new Map<string, number>()
  const add = (block: Buffer): number => blocks.push(block)
  return {
    add,
    addTree: (entries, pageSize) => {
      const page = leafPage(entries, pageSize)
      const numbers = words(1, blocks.length + 2, pageSize, entries.length)
      const tree = add(Buffer.concat([Buffer.from('tree'), numbers, Buffer.alloc(1)]))
      add(page)
      return tree
    },
    name: (variable, block) => void variables.set(variable, block),
    toBytes: () => storeBytes(blocks, variables),
  }
}
