import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import Format from 'typebox/format'

export type Exchange = {
  method: string
  /** With its query. */
  path: string
  /** The text that was sent. */
  body?: string | undefined
  status: number
  contentType: string | undefined
  answer: unknown
}

type Schema = object
type Content = Record<string, { schema: Schema }>
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }
type Reference = { $ref: string }
type Operation = {
  parameters?: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content } | Reference>
}
export type Document = { paths: Record<string, Record<string, Operation>>; components?: object }

export type Violation = { in: 'request' | 'response'; what: string }
type Faults = (string | undefined)[]

/** Judges exchanges by an OpenAPI 3.1 document, whose schemas are JSON Schema as they are. */
export function holdToDocument(document: Document): (exchange: Exchange) => Violation[] {
  const judge = { document, ...judgeValues(document) }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, operation, path, pattern: patternOf(path) })),
  )
  // `/device_groups/{id}` also matches what another path says by name.
  const byName = operations.toSorted((left, right) => left.path.split('{').length - right.path.split('{').length)
  return (exchange) => {
    const { pathname } = new URL(exchange.path, 'http://document')
    const method = exchange.method.toLowerCase()
    const found = byName.find((each) => each.method === method && each.pattern.test(pathname))
    if (!found) return [{ in: 'request', what: `${exchange.method} ${pathname} is not in the document` }]
    const violations = (where: Violation['in'], faults: Faults): Violation[] =>
      faults.filter((what) => what !== undefined).map((what) => ({ in: where, what }))
    return [
      ...violations('request', [
        ...queryFaults(judge, found.operation, exchange),
        ...bodyFaults(judge, found.operation, exchange),
      ]),
      ...violations('response', answerFaults(judge, found.operation, exchange)),
    ]
  }
}

type Judge = ReturnType<typeof judgeValues> & { readonly document: Document }

/** Compiles each schema once; its references are to the document. */
function judgeValues(document: Document) {
  const names = new Set([...JSON.stringify(document).matchAll(/"format":"([^"]+)"/g)].map(([, name = '']) => name))
  const formats = Object.fromEntries(
    [...names].map((name) => [name, (text: string) => !Format.Has(name) || Format.Test(name, text)]),
  )
  const validatorsOf = (coerceTypes: boolean) => {
    const ajv = new Ajv2020({ strict: false, coerceTypes, formats }).addSchema({ ...document, $id: 'document:' })
    const validators = new Map<Schema, ValidateFunction>()
    return (schema: Schema, value: unknown): string | undefined => {
      const validate = validators.get(schema) ?? ajv.compile(JSON.parse(withDocument(JSON.stringify(schema))))
      validators.set(schema, validate)
      return validate(value) ? undefined : ajv.errorsText(validate.errors)
    }
  }
  return { faultOf: validatorsOf(false), faultOfText: validatorsOf(true) }
}

const withDocument = (schema: string): string => schema.replaceAll('"$ref":"#/', '"$ref":"document:#/')

/** Of a query, whose values are text: they are read as what their schemas say. */
function queryFaults({ document, faultOfText }: Judge, { parameters = [] }: Operation, { path }: Exchange): Faults {
  const query = new URL(path, 'http://document').searchParams
  const known = parameters.map((each) => resolve(document, each)).filter((parameter) => parameter.in === 'query')
  const strange = [...query.keys()].filter((name) => !known.some((parameter) => parameter.name === name))
  return [
    ...strange.map((name) => `${name} is not in the document`),
    ...known.map(({ name, required, schema }) => {
      const value = query.get(name)
      if (value === null) return required ? `${name} is missing` : undefined
      // Ajv turns members of objects into what they should be, not a value that stands alone.
      const fault = faultOfText({ properties: { [name]: schema } }, { [name]: value })
      return fault && `${name}: ${fault}`
    }),
  ]
}

function bodyFaults({ faultOf }: Judge, { requestBody }: Operation, { body }: Exchange): Faults {
  const schema = requestBody?.content['application/json']?.schema
  if (body === undefined) return [requestBody?.required ? 'the body is missing' : undefined]
  return [schema ? faultOf(schema, JSON.parse(body)) : 'a body is not in the document']
}

function answerFaults({ document, faultOf }: Judge, { responses }: Operation, exchange: Exchange): Faults {
  const { status, contentType, answer } = exchange
  const declared = responses[status] ?? (status < 400 ? undefined : responses['default'])
  if (declared === undefined) return [`status ${status} is not in the document`]
  const { content = {} } = resolve(document, declared)
  if (Object.keys(content).length === 0 && contentType === undefined) return []
  const [, described] = Object.entries(content).find(([type]) => bare(type) === bare(contentType)) ?? []
  return [described ? faultOf(described.schema, answer) : `${contentType} is not in the document`]
}

const bare = (contentType: string | undefined) => contentType?.replace(/; charset=utf-8$/, '')

function resolve<Value extends object>(document: Document, value: Value | Reference): Value {
  if (!('$ref' in value)) return value
  const names = value.$ref.slice('#/'.length).split('/')
  return names.reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document) as Value
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}/?$`)
