import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Document, type Exchange, holdToDocument } from './hold-to-document.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })

const document: Document = {
  paths: {
    '/devices': {
      get: {
        parameters: [
          { name: 'per_page', in: 'query', schema: { type: 'integer', maximum: 100 } },
          { name: 'on', in: 'query', required: true, schema: { type: 'string', format: 'date-time' } },
        ],
        responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Device' } }) },
      },
      post: {
        requestBody: { required: true, ...json({ $ref: '#/components/schemas/Device' }) },
        responses: { 204: {}, 422: { $ref: '#/components/responses/Wrong' } },
      },
    },
    '/devices/{id}': { get: { responses: { 200: json({ $ref: '#/components/schemas/Device' }) } } },
    '/devices/count': {
      get: { responses: { 200: json({ type: 'integer' }), default: { $ref: '#/components/responses/Wrong' } } },
    },
  },
  components: {
    schemas: {
      Device: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, note: { type: ['string', 'null'] } },
      },
    },
    responses: { Wrong: json({ type: 'object', required: ['error'] }) },
  },
}

const faults = holdToDocument(document)
const on = 'on=2026-11-20T09:00:00Z'
const read: Exchange = {
  ...{ method: 'GET', path: `/devices?per_page=2&${on}`, status: 200 },
  ...{ contentType: 'application/json; charset=utf-8', answer: [{ name: 'A', note: null }] },
}
const write: Exchange = {
  ...{ method: 'POST', path: '/devices', body: '{"name":"A"}', status: 204, contentType: undefined, answer: '' },
}

const count = { method: 'GET', path: '/devices/count', body: undefined }

test('what the document says passes', () => {
  assert.deepEqual(faults(read), [])
  assert.deepEqual(faults(write), [])
  assert.deepEqual(faults({ ...read, path: '/devices/count', answer: 3 }), [])
  assert.deepEqual(faults({ ...read, path: '/devices/7/', answer: { name: 'A' } }), [])
  const refused = { ...write, status: 422, contentType: 'application/json', answer: { error: 'invalid' } }
  assert.deepEqual(faults(refused), [])
  assert.deepEqual(faults({ ...refused, ...count, status: 503 }), [])
})

test('what a request or an answer has of its own is found', () => {
  const cases: [Exchange, 'request' | 'response'][] = [
    [{ ...read, path: '/nothing' }, 'request'],
    [{ ...read, method: 'DELETE' }, 'request'],
    [{ ...read, path: '/devices?per_page=2' }, 'request'],
    [{ ...read, path: `/devices?per_page=101&${on}` }, 'request'],
    [{ ...read, path: `/devices?per_page=two&${on}` }, 'request'],
    [{ ...read, path: '/devices?on=today' }, 'request'],
    [{ ...read, path: `/devices?${on}&page=2` }, 'request'],
    [{ ...read, body: '{}' }, 'request'],
    [{ ...write, body: undefined }, 'request'],
    [{ ...write, body: '{"name":1}' }, 'request'],
    [{ ...read, answer: [{}] }, 'response'],
    [{ ...read, answer: [{ name: 'A', note: 1 }] }, 'response'],
    [{ ...read, status: 404 }, 'response'],
    [{ ...read, ...count, status: 503, answer: {} }, 'response'],
    [{ ...read, ...count, status: 201, answer: 3 }, 'response'],
    [{ ...read, contentType: 'text/plain' }, 'response'],
    [{ ...write, contentType: 'application/json', answer: {} }, 'response'],
    [{ ...write, status: 422, contentType: 'application/json', answer: {} }, 'response'],
  ]
  for (const [exchange, where] of cases) {
    const found = faults(exchange)
    assert.deepEqual(
      found.map((violation) => violation.in),
      [where],
      JSON.stringify([exchange, found]),
    )
  }
})
