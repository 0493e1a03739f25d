import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertTurns } from '../../../test/support/longest-turn.ts'
import { ServiceError } from '../../base/errors.ts'
import { readOwnerList } from './read-owner-list.ts'

const longest = 499_000

/** What a refused list is told. */
async function refusalOf(csv: string): Promise<string | undefined> {
  try {
    await readOwnerList(csv)
  } catch (error) {
    assert.ok(error instanceof ServiceError)
    return error.errors?.[0]?.message
  }
  return undefined
}

/** Lists of the longest length that are dear to read, and what is said of them. */
const dear: Readonly<Record<string, { csv: string; refusal: RegExp }>> = {
  'one line of separators': { csv: ','.repeat(longest), refusal: /^has no lines$/ },
  'separators and an owner': { csv: `${','.repeat(longest)}a@b.example`, refusal: /^has more than two columns/ },
  'blank lines': { csv: '\n'.repeat(longest), refusal: /^has no lines$/ },
  'lines of separators': { csv: `${','.repeat(90)}\n`.repeat(longest / 100), refusal: /^has no lines$/ },
  'short lines': { csv: 'a\n'.repeat(longest / 2), refusal: /^has more than 5,000 lines/ },
  'line breaks within quotes': { csv: '"\n",,,,,,,'.repeat(longest / 10), refusal: /^is not valid CSV/ },
  'a quotation without end': { csv: `"${'a,'.repeat(longest / 2)}`, refusal: /^is not valid CSV/ },
}

test('a list that is dear to read is refused, and others have their turn meanwhile', async () => {
  for (const [name, { csv, refusal }] of Object.entries(dear)) {
    await assertTurns(name, async () => {
      assert.match((await refusalOf(csv)) ?? '', refusal, name)
    })
  }
})

test('a list of 5,000 lines is read whole, also where a piece ends within a letter', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `${'ü'.repeat(index % 7)}${index}@acme.example`)
  const csv = ['serial,email', ...names.map((name, index) => `S${index},${name}`)].join('\r\n')
  const rows = await readOwnerList(csv)
  assert.deepEqual(
    rows.map(({ line, deviceText, email }) => [line, deviceText, email]),
    names.map((name, index) => [index + 2, `S${index}`, name]),
  )
})
