import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qrMatrix } from './qr-matrix.ts'

const lines = (text: string): string[] =>
  (qrMatrix(text) ?? []).map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))

test('the code of a text is the one that other encoders draw', () => {
  assert.deepEqual(lines('Muster'), [
    '#######..#....#######',
    '#.....#.##....#.....#',
    '#.###.#..###..#.###.#',
    '#.###.#..##...#.###.#',
    '#.###.#.#.###.#.###.#',
    '#.....#..###..#.....#',
    '#######.#.#.#.#######',
    '.........#...........',
    '#.#.#.#..##.#...#..#.',
    '.#####.#####.#.#....#',
    '...####..###.###.####',
    '...#....#..###.##....',
    '##..###.#..#.###.#.#.',
    '........#.....##.#.#.',
    '#######..##.#...##.##',
    '#.....#.......###..##',
    '#.###.#.##..#.#.##.##',
    '#.###.#...##.#..#..#.',
    '#.###.#.##.#.####.#.#',
    '#.....#....###.....#.',
    '#######.####.####..##',
  ])
})

test('what is longer takes a larger code, and nothing is drawn beyond 666 bytes', () => {
  const sizes = [1, 14, 15, 122, 123, 666].map((length) => qrMatrix('x'.repeat(length))?.length)
  assert.deepEqual(sizes, [21, 21, 25, 45, 49, 97])
  assert.equal(qrMatrix('x'.repeat(667)), undefined)
  assert.equal(qrMatrix('ä'.repeat(334)), undefined, 'bytes count')
})
