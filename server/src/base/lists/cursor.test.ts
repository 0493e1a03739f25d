import assert from 'node:assert/strict'
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { CursorError, decodeCursor, encodeCursor } from './cursor.ts'

const key = createSecretKey(randomBytes(32))
const scope = { organizationId: '7', apiVersion: '2026-04-07', resource: '/devices' }
const state = { ...scope, sortKey: ['2026-11-20T10:00:00.000Z', '42'], query: 'name~"mac"' }

test('what a cursor holds comes back, whatever the texts', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  const plain = { noNullPrototype: true }
  const scopes = fc.record({ organizationId: text, apiVersion: text, resource: text }, plain)
  const positions = fc.record({ sortKey: fc.array(fc.option(text), { maxLength: 3 }), query: text }, plain)
  fc.assert(
    fc.property(scopes, positions, (from, position) => {
      const cursor = encodeCursor({ ...from, ...position }, key)
      assert.match(cursor, /^[\w-]+$/)
      assert.deepEqual(decodeCursor(cursor, from, key), position)
      assert.deepEqual(decodeCursor(cursor, { ...from, query: position.query }, key), position)
    }),
    { numRuns: 1000 },
  )
})

test('a cursor cannot be changed in any single character, cut or extended', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // Payloads of three lengths, so that base64url ends in each of its three ways, two of which have spare bits.
  for (const query of ['', 'a', 'ab']) {
    const cursor = encodeCursor({ ...state, query }, key)
    for (let at = 0; at < cursor.length; at += 1) {
      for (const character of `${alphabet}=+/. é\u0000`) {
        if (character === cursor[at]) continue
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
        assert.throws(() => decodeCursor(changed, scope, key), CursorError, changed)
      }
      assert.throws(() => decodeCursor(cursor.slice(0, at), scope, key), CursorError)
      assert.throws(() => decodeCursor(cursor.slice(0, at) + cursor.slice(at + 1), scope, key), CursorError)
    }
    for (const extra of ['A', 'AA', '=', '==', ' ', '\n', '\u0000', cursor]) {
      assert.throws(() => decodeCursor(cursor + extra, scope, key), CursorError)
      assert.throws(() => decodeCursor(extra + cursor, scope, key), CursorError)
    }
  }
})

test('a cursor serves one list of one organization in one version under one key', () => {
  const cursor = encodeCursor(state, key)
  assert.deepEqual(decodeCursor(cursor, scope, key), { sortKey: state.sortKey, query: state.query })
  for (const other of [{ organizationId: '8' }, { apiVersion: '2023-05-26' }, { resource: '/issues' }]) {
    assert.throws(() => decodeCursor(cursor, { ...scope, ...other }, key), CursorError)
  }
  assert.throws(() => decodeCursor(cursor, scope, createSecretKey(randomBytes(32))), CursorError)
})

test('parts of the scope cannot slide into one another', () => {
  const cursor = encodeCursor({ ...state, organizationId: '1', apiVersion: '23' }, key)
  assert.throws(() => decodeCursor(cursor, { ...scope, organizationId: '12', apiVersion: '3' }, key), CursorError)
})

test('a request that sends a query along must send the one of the cursor', () => {
  const cursor = encodeCursor(state, key)
  for (const query of ['', ' ', state.query]) {
    assert.equal(decodeCursor(cursor, { ...scope, query }, key).query, state.query)
  }
  assert.throws(() => decodeCursor(cursor, { ...scope, query: 'name~"other"' }, key), /belongs to another query/)
  const unfiltered = encodeCursor({ ...state, query: '' }, key)
  assert.throws(() => decodeCursor(unfiltered, { ...scope, query: 'name:a' }, key), CursorError)
})

test('a payload of another version of the format is refused though its tag is right', () => {
  const payload = Buffer.from(JSON.stringify({ v: 2, r: scope.resource, k: ['1'], q: '' }))
  const tag = createHmac('sha256', key)
    .update(`${JSON.stringify(['list cursor', scope.organizationId, scope.apiVersion])}\n`)
    .update(payload)
    .digest()
    .subarray(0, 16)
  const cursor = Buffer.concat([tag, payload]).toString('base64url')
  assert.throws(() => decodeCursor(cursor, scope, key), CursorError)
})

test('any text is a cursor of ours or a CursorError', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  )
  fc.assert(
    fc.property(texts, (text) => assert.throws(() => decodeCursor(text, scope, key), CursorError)),
    { numRuns: 20_000 },
  )
})

test('the longest search fits into a cursor that can be read back', () => {
  const query = `name:"${'\\"'.repeat(1020)}"`
  const cursor = encodeCursor({ ...state, query }, key)
  assert.ok(cursor.length <= 8192, `${cursor.length} characters`)
  assert.equal(decodeCursor(cursor, scope, key).query, query)
  assert.throws(() => encodeCursor({ ...state, query: query.repeat(4) }, key), /could not be read back/)
  assert.throws(() => decodeCursor('A'.repeat(8193), scope, key), /too long/)
})
