export type BomFile = {
  /** Without a slash in front. */
  path: string
  /** Permission bits. */
  mode: number
  size: number
  /** POSIX's. */
  cksum: number
}

type Entry = { name: string; parent: number; isFolder: boolean; mode: number; size: number; cksum: number }

const headerBytes = 512
/** What a leaf of a tree holds: 12 bytes, and 8 for each path. */
const leafBytes = 4096
const maxPaths = Math.floor((leafBytes - 12) / 8)
const folderMode = 0o040755
const fileType = 0o100000

/**
 * The list of what a package installs, which macOS keeps as its receipt: files owned by root, and every folder above them with mode
 * 755. Its format is not documented; it has been written as readers of three projects take it. `mtime` is in seconds. Throws where
 * there are more than 510 paths, which would need a second leaf.
 */
export function writeBom(files: readonly BomFile[], mtime: number): Buffer {
  const entries = entriesOf(files)
  if (entries.length > maxPaths) throw new Error(`A package for macOS has ${maxPaths} paths at most`)
  const blocks: Buffer[] = []
  const add = (block: Buffer): number => blocks.push(block)
  const variables: [name: string, block: number][] = [
    ['BomInfo', add(words(1, entries.length, 1, 0, 0, 0, 0))],
    [
      'Paths',
      addTree(add, leafOf(entries.map((entry, index) => addEntry(add, entry, index + 1, mtime))), entries.length),
    ],
    ['HLIndex', addTree(add, leafOf([]), 0)],
    ['VIndex', add(Buffer.concat([words(1, addTree(add, leafOf([], 128), 0, 128), 0), Buffer.alloc(1)]))],
    ['Size64', addTree(add, leafOf([]), 0)],
  ]
  return assemble(blocks, variables)
}

/** Breadth first and by name: a reader that searches stops at the first path out of this order. */
function entriesOf(files: readonly BomFile[]): Entry[] {
  const root = { path: '', name: '.', isFolder: true, mode: folderMode, size: 0, cksum: 0 }
  const all = new Map<string, Omit<Entry, 'parent'> & { path: string }>([['', root]])
  for (const { path, mode, size, cksum } of files) {
    const parts = path.split('/')
    for (const [index, name] of parts.entries()) {
      const above = parts.slice(0, index + 1).join('/')
      const isFolder = index < parts.length - 1
      if (isFolder) all.set(above, { ...root, path: above, name })
      else all.set(above, { path, name, isFolder, mode: mode | fileType, size, cksum })
    }
  }
  const ordered: { path: string; entry: Entry }[] = []
  const level = (found: Omit<Entry, 'parent'> & { path: string }, parent: number) => {
    const { path, ...entry } = found
    ordered.push({ path, entry: { ...entry, parent } })
  }
  level(root, 0)
  for (let index = 0; index < ordered.length; index += 1) {
    const above = ordered[index]?.path ?? ''
    const inside = [...all.values()].filter(
      ({ path }) => path !== '' && path.slice(0, Math.max(0, path.lastIndexOf('/'))) === above,
    )
    for (const one of inside.toSorted((a, b) => (a.name < b.name ? -1 : 1))) level(one, index + 1)
  }
  return ordered.map(({ entry }) => entry)
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

type Add = (block: Buffer) => number

/** The blocks of one path; returns what a leaf says of it. */
function addEntry(add: Add, { name, parent, isFolder, mode, size, cksum }: Entry, id: number, mtime: number): number[] {
  const facts = Buffer.alloc(31)
  facts.writeUInt8(isFolder ? 2 : 1, 0)
  facts.writeUInt8(1, 1)
  facts.writeUInt16BE(3, 2)
  facts.writeUInt16BE(mode, 4)
  // Owner and group, which are root and wheel, are 0.
  facts.writeUInt32BE(mtime, 14)
  facts.writeUInt32BE(size, 18)
  facts.writeUInt8(1, 22)
  facts.writeUInt32BE(cksum, 23)
  const numbered = add(words(id, add(facts)))
  return [numbered, add(Buffer.concat([words(parent), Buffer.from(`${name}\0`)]))]
}

function leafOf(pairs: readonly number[][], size = leafBytes): Buffer {
  const leaf = Buffer.alloc(size)
  leaf.writeUInt16BE(1, 0)
  leaf.writeUInt16BE(pairs.length, 2)
  words(...pairs.flat()).copy(leaf, 12)
  return leaf
}

function addTree(add: Add, leaf: Buffer, paths: number, blockSize = leafBytes): number {
  return add(Buffer.concat([Buffer.from('tree'), words(1, add(leaf), blockSize, paths), Buffer.alloc(1)]))
}

/** Header, blocks, the table of where they are, and the names of those that a reader begins with. */
function assemble(blocks: readonly Buffer[], variables: readonly [name: string, block: number][]): Buffer {
  const places: number[] = [0, 0]
  let end = headerBytes
  for (const { length } of blocks) {
    places.push(end, length)
    end += length
  }
  // After the places comes a list of free ones: none, in the two places that a reader may look at.
  const index = words(blocks.length + 1, ...places, 0, 0, 0, 0, 0)
  const named = variables.map(([name, block]) =>
    Buffer.concat([words(block), Buffer.from([name.length]), Buffer.from(name)]),
  )
  const names = Buffer.concat([words(variables.length), ...named])
  const header = Buffer.concat([
    Buffer.from('BOMStore'),
    words(1, blocks.length, end + names.length, index.length, end, names.length),
  ])
  return Buffer.concat([Buffer.concat([header], headerBytes), ...blocks, names, index])
}
