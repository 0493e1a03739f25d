import openapiTypes, { astToString } from 'openapi-typescript'

export const versions = ['2026-04-07', '2023-05-26'] as const

/** The types of one version of the API, from its committed document. */
export async function generatedTypes(version: (typeof versions)[number]): Promise<string> {
  const document = new URL(`../contract/openapi/${version}.json`, import.meta.url)
  const types = await openapiTypes(document, { rootTypes: true, rootTypesNoSchemaPrefix: true, immutable: true })
  return `// Generated from contract/openapi/${version}.json by \`npm run openapi\`.\n${astToString(types)}`
}
