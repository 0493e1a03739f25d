import { features } from '@muster/contract/features.ts'
import type { FileDescription } from '@muster/contract/operations/define-operations.ts'
import { ListQuery } from '@muster/contract/pagination.ts'
import { permissions } from '@muster/contract/permissions.ts'
import type { SearchFields } from '@muster/contract/search.ts'
import type { TSchema } from 'typebox'
import type { Operation } from '../operations.ts'
import { paramNamesOf } from '../path-params.ts'
import { fileHeaders, headersOf, refusalsOf } from './describe-answers.ts'
import type { Lift, Schema } from './lift-schemas.ts'

/** An operation as OpenAPI writes it. */
export function describeOperation(operation: Operation, lift: Lift): Schema {
  const { operationId, summary, tag, access, body, status } = operation
  return {
    operationId,
    summary,
    description: descriptionOf(operation),
    tags: [tag],
    ...(access === 'public' && { security: [] }),
    parameters: [...pathParameters(operation), ...queryParameters(operation, lift), versionParameter],
    ...(body && { requestBody: { required: true, content: jsonOf(body, lift) } }),
    responses: { [String(status)]: answerOf(operation, lift), ...refusalsOf(operation) },
  }
}

const versionParameter = { $ref: '#/components/parameters/ApiVersion' }

function descriptionOf({ description, access, feature }: Operation): string {
  const needs: string[] = []
  if (access !== 'public' && access !== 'read') {
    needs.push(
      `The key needs the permission ${permissions[access].title}, and the organization the feature ${features.write_api.title}.`,
    )
  }
  if (feature) needs.push(`The organization needs the feature ${features[feature].title}.`)
  if (access === 'read') needs.push('Any key may call this.')
  if (access === 'public') needs.push('No key is required.')
  return [...(description ? [description] : []), ...needs].join('\n\n')
}

const words = (name: string): string =>
  name
    .replace(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .toLowerCase()

const singular = (collection: string): string => words(collection).replace(/ies$/, 'y').replace(/s$/, '')

function pathParameters({ path, textParams }: Operation): Schema[] {
  return paramNamesOf(path).map((name) => {
    const text = textParams[name]
    const collection = path.split(`/:${name}`, 1)[0]?.split('/').at(-1) ?? ''
    const record = name === 'id' ? singular(collection) : words(name).replace(/ id$/, '')
    return {
      name,
      in: 'path',
      required: true,
      description: text ?? `Identifier of the ${record}.`,
      schema: text ? { type: 'string' } : { type: 'string', pattern: '^[0-9]+$', examples: ['1042'] },
    }
  })
}

/** The parameters that all lists share, as components. */
export const listParameters = (lift: Lift): Record<string, Schema> => ({
  Cursor: queryParameter('cursor', lift({ ...ListQuery.properties.cursor })),
  PerPage: queryParameter('per_page', lift({ ...ListQuery.properties.per_page })),
})

const listReferences = new Map<unknown, Schema>([
  [ListQuery.properties.cursor, { $ref: '#/components/parameters/Cursor' }],
  [ListQuery.properties.per_page, { $ref: '#/components/parameters/PerPage' }],
])

const queryParameter = (name: string, { description, ...schema }: Schema, isRequired = false): Schema => ({
  name,
  in: 'query',
  required: isRequired,
  description,
  schema,
})

function queryParameters({ query, search }: Operation, lift: Lift): Schema[] {
  if (!query || !('properties' in query)) return []
  const required: unknown[] = 'required' in query && Array.isArray(query.required) ? query.required : []
  const properties = Object.entries(query.properties as Record<string, Schema>)
  return properties
    .filter(([name]) => name !== 'query' || !search || Object.keys(search).length > 0)
    .map(([name, schema]) => {
      const reference = listReferences.get(schema)
      if (reference) return reference
      const lifted = lift(schema)
      const isSearch = name === 'query' && search !== undefined
      const described = isSearch
        ? { ...lifted, description: `${lifted['description']}\n\n${searchTable(search)}` }
        : lifted
      return queryParameter(name, described, required.includes(name))
    })
}

/** Which fields a list is searched by, as a table in Markdown. */
function searchTable(search: SearchFields): string {
  const lines = Object.entries(search).map(([name, field]) => {
    const values = field.kind === 'enum' ? `: ${field.values.join(', ')}` : ''
    const extras = [field.multiple && 'several values', field.nullable && '`null`'].filter(Boolean).join(', ')
    const operators = field.operators.map((operator) => `\`${operator}\``).join(' ')
    return `| \`${name}\` | ${field.kind.replace('_', ' ')}${values} | ${operators} | ${extras} |`
  })
  return ['| Field | Kind | Operators | Also |', '|---|---|---|---|', ...lines].join('\n')
}

function answerOf(operation: Operation, lift: Lift): Schema {
  const { answer, alternative, access, file } = operation
  const headers = headersOf(access)
  if (file) return describeFile(file, headers)
  if (!answer) return { description: 'Done; the answer has no body.', headers }
  const description = 'description' in answer ? answer.description : 'The record.'
  const content = jsonOf(answer, lift)
  if (!alternative) return { description, headers, content }
  const media = { ...content['application/json'], schema: { anyOf: [lift({ ...answer }), lift({ ...alternative })] } }
  return { description, headers, content: { 'application/json': media } }
}

function describeFile({ description, mediaTypes }: FileDescription, headers: Schema): Schema {
  const content = mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])
  return { description, headers: { ...headers, ...fileHeaders }, content: Object.fromEntries(content) }
}

function jsonOf(schema: TSchema, lift: Lift): { 'application/json': Schema } {
  const example = exampleOf({ ...schema })
  return { 'application/json': { schema: lift({ ...schema }), ...(example !== undefined && { example }) } }
}

/** The schema's own first example; of a page, one record's in the envelope. */
function exampleOf(schema: Schema): unknown {
  const { examples, properties } = schema
  if (Array.isArray(examples)) return examples[0]
  const record = (properties as { data?: { items?: Schema } } | undefined)?.data?.items
  const example = record && exampleOf(record)
  if (example === undefined) return undefined
  return { data: [example], pagination: { next: '', current_cursor: '', next_cursor: '', count: 1 } }
}
