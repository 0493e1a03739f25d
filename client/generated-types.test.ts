import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { generatedTypes, versions } from './generated-types.ts'

for (const version of versions) {
  test(`the types of ${version} are those of its document: \`npm run openapi\` writes them`, async () => {
    const committed = await readFile(new URL(`src/generated/${version}.ts`, import.meta.url), 'utf8')
    assert.equal(committed, await generatedTypes(version))
  })
}
