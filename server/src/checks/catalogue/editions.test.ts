import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { catalogue } from './catalogue.ts'
import { type CatalogueCheck, editionOf } from './catalogue-check.ts'

const known = new URL('../../../test/support/check-fixtures/editions.json', import.meta.url)

/** What organizations get of a check; the rest is for this program and its documentation. */
function digestOf({ enabledByDefault, needs, cannotTell, edition, ...brought }: CatalogueCheck): string {
  return hash('sha256', JSON.stringify(brought)).slice(0, 12)
}

test('a check that has changed has a higher edition, without which no organization would get it', async () => {
  const editions = JSON.parse(await readFile(known, 'utf8')) as Record<string, string>
  const current = Object.fromEntries(catalogue.map((check) => [check.slug, `${editionOf(check)} ${digestOf(check)}`]))
  for (const check of catalogue) {
    const [edition, digest] = editions[check.slug]?.split(' ') ?? ['0', '']
    if (digest === digestOf(check)) continue
    const isRaised = editionOf(check) > Number(edition)
    assert.ok(isRaised, `${check.slug} has changed: give it "edition: ${Number(edition) + 1}"`)
  }
  assert.deepEqual(editions, current, `write this to ${known.pathname}:\n${JSON.stringify(current, null, 2)}`)
})
