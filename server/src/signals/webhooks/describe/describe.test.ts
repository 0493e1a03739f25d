import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Compile } from 'typebox/compile'
import { baseUrl, testApp } from '../../../../test/support/app.ts'
import { generateSecret } from '../endpoint-secret.ts'
import { headersOf, signingKeysOf } from '../sign-delivery.ts'
import { withEvents } from './events-markdown.ts'

const app = testApp()
async function ask(path: string) {
  const { statusCode: status, headers, payload } = await app.app.inject({ url: path })
  return { status, headers, body: JSON.parse(payload) }
}

const docs = new URL('../../../../../docs/', import.meta.url)

type Schema = { properties: Record<string, Schema>; required: string[]; examples: unknown[] }

test('the schema of each event is published to everyone, and its example is valid by it and complete', async () => {
  for (const event of webhookEvents) {
    const { status, headers, body } = await ask(`/webhooks/schemas/${event}`)
    assert.deepEqual([status, headers['content-type']], [200, 'application/schema+json; charset=utf-8'])
    assert.equal(body.$id, `${baseUrl}/webhooks/schemas/${event}`)
    assert.equal(body.$schema, 'https://json-schema.org/draft/2020-12/schema')
    const schema = body as Schema
    const validator = Compile(body)
    assert.deepEqual(schema.examples, [webhookExample(event)])
    assert.deepEqual([...validator.Errors(webhookExample(event))], [], event)
    const { data } = schema.properties
    const example: { data: object } = webhookExample(event)
    assert.deepEqual(Object.keys(example.data).sort(), Object.keys(data?.properties ?? {}).sort(), event)
    for (const name of data?.required ?? []) {
      const { [name]: _, ...lacking } = { ...example.data } as Record<string, unknown>
      assert.equal(validator.Check({ ...example, data: lacking }), false, `${event} without ${name}`)
    }
    assert.equal(validator.Check({ ...example, id: 'x' }), false)
  }
  assert.equal((await ask('/webhooks/schemas/devices.exploded')).status, 404)
  assert.equal((await ask('/webhooks/schemas/__proto__')).status, 404)
})

/** Resolves references within the document: all there are lead into `$defs`. */
const inlined = (all: { oneOf: { $ref: string }[]; $defs: Record<string, object> }) => ({
  oneOf: all.oneOf.map(({ $ref }) => all.$defs[$ref.replace('#/$defs/', '')] ?? assert.fail($ref)),
})

test('the schema of all events takes the body of each, and no other', async () => {
  const { status, body } = await ask('/webhooks/schemas')
  assert.deepEqual([status, body.oneOf.length], [200, webhookEvents.length])
  const validator = Compile(inlined(body))
  for (const event of webhookEvents) {
    assert.equal(validator.Check(webhookExample(event)), true, event)
    assert.equal(validator.Check({ ...webhookExample(event), data: {} }), false, event)
  }
  assert.equal(validator.Check({ ...webhookExample('issues.new'), event: 'devices.exploded' }), false)
})

type Reference = { $ref: string }
type AsyncApi = {
  asyncapi: string
  info: { title: string; version: string }
  channels: Record<string, { address: null; messages: Record<string, Reference> }>
  operations: Record<string, { action: string; channel: Reference; messages: Reference[]; security: Reference[] }>
  components: {
    messages: Record<string, { name: string; headers: Reference; payload: Reference; examples: { payload: unknown }[] }>
    schemas: Record<string, object>
    securitySchemes: Record<string, object>
  }
}

test('the AsyncAPI document has a message with schema and example for each event, and its references lead somewhere', async () => {
  const { status, body } = await ask('/webhooks/asyncapi.json')
  const document = body as AsyncApi & { id: string }
  assert.deepEqual([status, document.asyncapi, document.id], [200, '3.0.0', `${baseUrl}/webhooks/asyncapi.json`])
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  assert.ok(references.length > 50)
  for (const [, path = ''] of references) {
    const target = path.split('/').reduce((place, name) => place?.[name], body)
    assert.ok(target !== undefined && Object.keys(target).length > 0, path)
  }
  const { endpoint } = document.channels
  const { sendWebhook } = document.operations
  assert.ok(endpoint && sendWebhook)
  assert.deepEqual(
    [endpoint.address, sendWebhook.action, sendWebhook.channel.$ref],
    [null, 'send', '#/channels/endpoint'],
  )
  assert.deepEqual(Object.keys(endpoint.messages), webhookEvents)
  assert.deepEqual(
    sendWebhook.messages.map(({ $ref }) => $ref),
    webhookEvents.map((event) => `#/channels/endpoint/messages/${event}`),
  )
  for (const event of webhookEvents) {
    const message = document.components.messages[event]
    assert.ok(message)
    assert.equal(message.name, event)
    const validator = Compile(document.components.schemas[message.payload.$ref.split('/').at(-1) ?? ''] ?? {})
    for (const { payload } of message.examples) assert.equal(validator.Check(payload), true, event)
    assert.match(event, /^[\w.-]+$/, 'a name that components may have')
  }
})

test('the headers of the AsyncAPI document are those that are sent', async () => {
  const { body } = await ask('/webhooks/asyncapi.json')
  const sent = headersOf({
    ...{ messageId: '01KAF5J8T3Q4V9R0C6M1B7X2ZD', body: '{}', timestampSeconds: 1_763_630_043 },
    keys: { current: signingKeysOf(generateSecret()), previous: signingKeysOf(generateSecret()) },
    identifier: '0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21',
  })
  const schema = body.components.schemas.headers
  assert.deepEqual([...schema.required].sort(), Object.keys(sent).sort())
  assert.deepEqual([...Compile(schema).Errors(sent)], [])
  assert.equal(Compile(schema).Check({ ...sent, authorization: 'Bearer x' }), false)
})

test('the events of the guide are those of the code: `npm run docs` writes them', async () => {
  const page = await readFile(new URL('webhooks.md', docs), 'utf8')
  assert.equal(withEvents(page), page)
  assert.equal(withEvents('no markers'), undefined)
})

test('another validator, by the letter of JSON Schema, takes the examples too', async () => {
  // Fastify's own; it is strict about keywords that no draft has.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, formats: { uri: true, 'date-time': true } })
  const validate = ajv.compile((await ask('/webhooks/schemas')).body)
  for (const event of webhookEvents) assert.equal(validate(webhookExample(event)), true, event)
  assert.equal(validate({ event: 'issues.new' }), false)
})
