import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { foldText } from './fold-text.ts'

const database = testDatabase()

const inDatabase = async (texts: readonly string[]): Promise<string[]> => {
  const { rows } = await sql<{ folded: string }>`
    select folded(text) from unnest(${texts}::text[]) with ordinality as given(text, place) order by place`.execute(
    database.db,
  )
  return rows.map(({ folded }) => folded)
}

const groups: [what: string, same: string[]][] = [
  ['case', ['ZOË@ACME.EXAMPLE', 'zoë@acme.example', 'Zoë@Acme.Example']],
  ['form of Unicode', ['René'.normalize('NFC'), 'René'.normalize('NFD')]],
  ['width', ['ren@acme.example', 'ｒｅｎ@acme.example', 'ＲＥＮ＠ａｃｍｅ．ｅｘａｍｐｌｅ']],
  ['width of Katakana, with a voiced mark of its own', ['ガギ', 'ｶﾞｷﾞ']],
  ['width of Hangul', ['ㅎㅏㄴ', 'ﾾￂﾤ']],
  ['sigma at the end of a word', ['ΟΔΟΣ', 'οδος', 'οδοσ']],
  ['Cyrillic', ['ЖАННА', 'жанна', 'Жанна']],
  ['Vietnamese', ['NGUYỄN', 'nguyễn', 'Nguyễn'.normalize('NFD')]],
  ['letters beyond the first plane', ['𐐀𐐁', '𐐨𐐩']],
]

const apart: [string, string][] = [
  ['i', 'ı'],
  ['I', 'İ'],
  ['ss', 'ß'],
  ['e', 'é'],
  ['a', 'а'],
  ['ﬁ', 'fi'],
  ['①', '1'],
]

for (const [what, same] of groups) {
  test(`${what} makes no difference`, async () => {
    assert.deepEqual(new Set(same.map(foldText)).size, 1)
    assert.deepEqual(await inDatabase(same), same.map(foldText))
  })
}

test('what only looks alike stays apart', async () => {
  for (const [one, other] of apart) assert.notEqual(foldText(one), foldText(other), `${one} ${other}`)
  for (const pair of apart) assert.deepEqual(await inDatabase(pair), pair.map(foldText))
})

test('the database folds every character as the code does', async () => {
  const differing: string[] = []
  // Without the ideographs, Hangul and surrogates, which have no case; nor has anything beyond the second plane.
  const isAsked = (point: number) => point < 0x3400 || (point >= 0xa000 && point < 0xac00) || point >= 0xf900
  for (let start = 1; start < 0x20000; start += 0x4000) {
    const texts = Array.from({ length: 0x4000 }, (_, index) => start + index)
      .filter(isAsked)
      .map((point) => `x${String.fromCodePoint(point)}`)
    const folded = await inDatabase(texts)
    for (const [index, text] of texts.entries()) {
      if (folded[index] !== foldText(text)) differing.push(`U+${text.codePointAt(1)?.toString(16)}`)
    }
  }
  assert.deepEqual(differing, [])
})

test('folding twice is folding once', () => {
  for (const [, same] of groups) for (const text of same) assert.equal(foldText(foldText(text)), foldText(text))
})
