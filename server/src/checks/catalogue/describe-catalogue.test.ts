import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { catalogue } from './catalogue.ts'
import { withCatalogue } from './describe-catalogue.ts'

const page = await readFile(new URL('../../../../docs/checks.md', import.meta.url), 'utf8')

test('the documentation says what each check reads, which osquery it needs and what it cannot tell', () => {
  assert.equal(withCatalogue(page, catalogue), page, 'npm run docs writes it')
  assert.match(page, /\| `macos-gatekeeper` \| `gatekeeper` \| 5\.23\.0 on macOS 15 and newer \| .{20,} \|/)
  for (const { slug, cannotTell } of catalogue) {
    assert.ok(page.includes(`| \`${slug}\` | \``), `${slug} reads tables`)
    assert.ok(cannotTell?.endsWith('.'), `${slug} says what it cannot tell`)
  }
  assert.equal(withCatalogue('A page without the block', catalogue), undefined)
})
