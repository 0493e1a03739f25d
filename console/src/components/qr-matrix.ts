/** Error correction level M of versions 1 to 20: codewords for it in a block, and blocks (ISO/IEC 18004, table 9). */
const checkLengths = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

type Grid = { readonly size: number; readonly dark: boolean[]; readonly isFixed: boolean[] }

/**
 * A QR code of text, in byte mode with error correction M: rows of dark and light modules without the quiet zone.
 * Undefined for more than 666 bytes, which no telephone reads from a screen with ease.
 */
export function qrMatrix(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = new TextEncoder().encode(text)
  const version = checkLengths.findIndex((_, index) => bytes.length + headBytes(index + 1) <= dataLength(index + 1)) + 1
  if (version === 0) return undefined
  const words = withChecks(version, packed(version, bytes))
  const [best] = Array.from({ length: 8 }, (_, mask) => drawn(version, words, mask)).sort(
    (one, other) => penaltyOf(one) - penaltyOf(other),
  )
  return best && Array.from({ length: best.size }, (_, row) => best.dark.slice(row * best.size, (row + 1) * best.size))
}

const tableAt = (table: readonly number[], version: number): number => table[version - 1] ?? 0
const headBytes = (version: number): number => (version < 10 ? 2 : 3)

/** Modules that hold data and checks, in whole codewords. */
function codewordCount(version: number): number {
  const alignments = version < 2 ? 0 : Math.floor(version / 7) + 2
  let modules = (16 * version + 128) * version + 64
  if (alignments > 0) modules -= (25 * alignments - 10) * alignments - 55
  if (version >= 7) modules -= 36
  return Math.floor(modules / 8)
}

const dataLength = (version: number): number =>
  codewordCount(version) - tableAt(checkLengths, version) * tableAt(blockCounts, version)

function packed(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = []
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1)
  }
  push(4, 4)
  push(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) push(byte, 8)
  const capacity = dataLength(version) * 8
  push(0, Math.min(4, capacity - bits.length))
  push(0, (8 - (bits.length % 8)) % 8)
  const words = Array.from({ length: bits.length / 8 }, (_, word) =>
    bits.slice(word * 8, word * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  )
  for (let pad = 0xec; words.length * 8 < capacity; pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

/** In the field of 256 elements with the polynomial of the standard. */
function times(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((other >>> bit) & 1) * one
  }
  return product
}

function checksOf(words: readonly number[], length: number): number[] {
  const divisor: number[] = [...Array(length - 1).fill(0), 1]
  let root = 1
  for (let degree = 0; degree < length; degree += 1) {
    for (let place = 0; place < length; place += 1) {
      divisor[place] = times(divisor[place] ?? 0, root) ^ (divisor[place + 1] ?? 0)
    }
    root = times(root, 2)
  }
  const rest: number[] = Array(length).fill(0)
  for (const word of words) {
    const factor = word ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let place = 0; place < length; place += 1)
      rest[place] = (rest[place] ?? 0) ^ times(divisor[place] ?? 0, factor)
  }
  return rest
}

/** Blocks with their checks, interleaved; the earlier ones may be a word shorter. */
function withChecks(version: number, words: readonly number[]): number[] {
  const [count, checkLength] = [tableAt(blockCounts, version), tableAt(checkLengths, version)]
  const total = codewordCount(version)
  const shortCount = count - (total % count)
  const shortLength = Math.floor(total / count) - checkLength
  let from = 0
  const blocks = Array.from({ length: count }, (_, block) => {
    const data = words.slice(from, from + shortLength + (block < shortCount ? 0 : 1))
    from += data.length
    return { data, checks: checksOf(data, checkLength) }
  })
  const column = (length: number, pick: (block: (typeof blocks)[number], place: number) => number | undefined) =>
    Array.from({ length }, (_, place) => blocks.map((block) => pick(block, place))).flat()
  return [
    ...column(shortLength + 1, ({ data }, place) => data[place]),
    ...column(checkLength, ({ checks }, place) => checks[place]),
  ].filter((word) => word !== undefined)
}

function drawn(version: number, words: readonly number[], mask: number): Grid {
  const size = version * 4 + 17
  const grid: Grid = { size, dark: Array(size * size).fill(false), isFixed: Array(size * size).fill(false) }
  const set = (column: number, row: number, isDark: boolean) => {
    if (column < 0 || row < 0 || column >= size || row >= size) return
    grid.dark[row * size + column] = isDark
    grid.isFixed[row * size + column] = true
  }
  drawPatterns(version, size, set)
  drawFormat(mask, size, set)
  if (version >= 7) drawVersion(version, size, set)
  drawWords(grid, words, mask)
  return grid
}

type Set = (column: number, row: number, isDark: boolean) => void

function drawPatterns(version: number, size: number, set: Set): void {
  for (let place = 0; place < size; place += 1) {
    set(6, place, place % 2 === 0)
    set(place, 6, place % 2 === 0)
  }
  const rings = (column: number, row: number, reach: number, isLight: (ring: number) => boolean) => {
    for (let across = -reach; across <= reach; across += 1) {
      for (let down = -reach; down <= reach; down += 1) {
        set(column + across, row + down, !isLight(Math.max(Math.abs(across), Math.abs(down))))
      }
    }
  }
  const places = alignmentPlaces(version, size)
  const [last] = places.slice(-1)
  for (const column of places) {
    for (const row of places) {
      const isFinder = (column === 6 && (row === 6 || row === last)) || (column === last && row === 6)
      if (!isFinder) rings(column, row, 2, (ring) => ring === 1)
    }
  }
  for (const [column, row] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    rings(column, row, 4, (ring) => ring === 2 || ring === 4)
  }
}

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - (count - 2 - index) * step)]
}

/** The remainder of the code that protects format and version. */
function protectedBits(value: number, length: number, polynomial: number): number {
  let rest = value
  for (let step = 0; step < length; step += 1) rest = (rest << 1) ^ ((rest >>> (length - 1)) * polynomial)
  return (value << length) | rest
}

function drawFormat(mask: number, size: number, set: Set): void {
  // Level M is 00, so the five bits are those of the mask.
  const bits = protectedBits(mask, 10, 0x537) ^ 0x5412
  const isSet = (bit: number) => ((bits >>> bit) & 1) === 1
  for (let bit = 0; bit < 6; bit += 1) set(8, bit, isSet(bit))
  set(8, 7, isSet(6))
  set(8, 8, isSet(7))
  set(7, 8, isSet(8))
  for (let bit = 9; bit < 15; bit += 1) set(14 - bit, 8, isSet(bit))
  for (let bit = 0; bit < 8; bit += 1) set(size - 1 - bit, 8, isSet(bit))
  for (let bit = 8; bit < 15; bit += 1) set(8, size - 15 + bit, isSet(bit))
  set(8, size - 8, true)
}

function drawVersion(version: number, size: number, set: Set): void {
  const bits = protectedBits(version, 12, 0x1f25)
  for (let bit = 0; bit < 18; bit += 1) {
    const isDark = ((bits >>> bit) & 1) === 1
    const [far, near] = [size - 11 + (bit % 3), Math.floor(bit / 3)]
    set(far, near, isDark)
    set(near, far, isDark)
  }
}

const masks: readonly ((column: number, row: number) => boolean)[] = [
  (column, row) => (column + row) % 2 === 0,
  (_, row) => row % 2 === 0,
  (column) => column % 3 === 0,
  (column, row) => (column + row) % 3 === 0,
  (column, row) => (Math.floor(column / 3) + Math.floor(row / 2)) % 2 === 0,
  (column, row) => ((column * row) % 2) + ((column * row) % 3) === 0,
  (column, row) => (((column * row) % 2) + ((column * row) % 3)) % 2 === 0,
  (column, row) => (((column + row) % 2) + ((column * row) % 3)) % 2 === 0,
]

/** From the right in columns of two, up and down by turns. */
function drawWords({ size, dark, isFixed }: Grid, words: readonly number[], mask: number): void {
  const isMasked = masks[mask] ?? (() => false)
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const isUpward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step += 1) {
      const row = isUpward ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        const place = row * size + column
        if (isFixed[place]) continue
        const isSet = (((words[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1
        dark[place] = isSet !== isMasked(column, row)
        bit += 1
      }
    }
  }
}

/** How hard it is to read (ISO/IEC 18004, 7.8.3): long runs, blocks, what looks like a finder, lack of balance. */
function penaltyOf({ size, dark }: Grid): number {
  const at = (column: number, row: number) => (dark[row * size + column] ? '1' : '0')
  const along = Array.from({ length: size }, (_, one) => one)
  const lines = along.flatMap((one) => [
    along.map((other) => at(other, one)).join(''),
    along.map((other) => at(one, other)).join(''),
  ])
  let penalty = 0
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2
    // Beyond the edge it is light.
    penalty += 40 * [...`0000${line}0000`.matchAll(/(?=00001011101|(?<=1011101)0000)/g)].length
  }
  for (let row = 1; row < size; row += 1) {
    for (let column = 1; column < size; column += 1) {
      const corner = at(column, row)
      const isBlock = [at(column - 1, row), at(column, row - 1), at(column - 1, row - 1)].every((one) => one === corner)
      if (isBlock) penalty += 3
    }
  }
  const share = dark.filter(Boolean).length / dark.length
  return penalty + 10 * Math.floor(Math.abs(share * 20 - 10))
}
