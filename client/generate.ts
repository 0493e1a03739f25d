import { writeFile } from 'node:fs/promises'
import { generatedTypes, versions } from './generated-types.ts'

// Writes src/generated/<version>.ts from the OpenAPI documents; `npm run openapi` runs it after writing those.
for (const version of versions) {
  await writeFile(new URL(`src/generated/${version}.ts`, import.meta.url), await generatedTypes(version))
}
