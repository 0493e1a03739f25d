import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifierField, textField } from '@muster/contract/search-fields.ts'
import Type from 'typebox'
import { baseUrl, testApp } from '../../test/support/app.ts'
import { listEndpoint } from './list-endpoint.ts'

/** A list without a table: what is tested is what every list does around its query. */
const rows = Array.from({ length: 60 }, (_, index) => ({ id: String(index + 1), name: `Row ${index + 1}` }))
const removed = new Set<string>()

const { ask, addTenant, app } = lazily(
  testApp({
    addRoutes(server) {
      listEndpoint(server, {
        path: '/shelves/:shelfId/books',
        operationId: 'listBooks',
        summary: 'List books',
        tag: 'Trial',
        record: Type.Object({ id: Type.String(), name: Type.String(), link: Type.String() }),
        search: { id: identifierField, name: textField },
        list: async (_reader, { params, search, after, limit }) => {
          const kept = rows.filter(({ id, name }) => {
            const isWanted =
              search === undefined || search.some((group) => group.every(({ value }) => name.includes(String(value))))
            return !removed.has(id) && Number(id) > Number(after ?? 0) && isWanted
          })
          return params.shelfId === '2' ? [] : kept.slice(0, limit)
        },
        present: ({ id, name }, links) => ({ id, name, link: links.url(`/books/${id}`) }),
        exists: async (_reader, _organizationId, { shelfId }) => shelfId !== '404',
      })
    },
  }),
)

/** The app is there once the tests run. */
function lazily(trial: ReturnType<typeof testApp>) {
  return { ask: trial.ask, addTenant: trial.addTenant, app: () => trial.app }
}

type Book = { id: string; name: string; link: string }

async function walk(first: string): Promise<Book[]> {
  const books: Book[] = []
  for (let url = first; url !== ''; ) {
    const { status, body } = await ask('GET', url)
    assert.equal(status, 200, url)
    books.push(...body.data)
    url = body.pagination.next.replace(baseUrl, '')
  }
  return books
}

test('pages follow each other by `next`, and the last has none', async () => {
  const first = await ask('GET', '/shelves/1/books')
  assert.equal(first.body.data.length, 25)
  assert.deepEqual(first.body.data[0], { id: '1', name: 'Row 1', link: `${baseUrl}/books/1` })
  const { next, next_cursor, ...rest } = first.body.pagination
  assert.deepEqual(rest, { current_cursor: '', count: 25 })
  assert.equal(next, `${baseUrl}/shelves/1/books?cursor=${next_cursor}&per_page=25`)
  const second = await ask('GET', next.replace(baseUrl, ''))
  assert.equal(second.body.pagination.current_cursor, next_cursor)
  assert.deepEqual(
    (await walk('/shelves/1/books?per_page=7')).map(({ id }) => id),
    rows.map(({ id }) => id),
  )
  const last = await ask('GET', '/shelves/1/books?per_page=60')
  assert.deepEqual(last.body.pagination, { next: '', current_cursor: '', next_cursor: '', count: 60 })
})

test('a cursor alone keeps the query, and `next` repeats it', async () => {
  const { body } = await ask('GET', '/shelves/1/books?per_page=2&query=%20name~%22w%205%22%20')
  assert.deepEqual(
    body.data.map(({ id }: Book) => id),
    ['5', '50'],
  )
  assert.ok(body.pagination.next.endsWith('&per_page=2&query=name~%22w%205%22'))
  for (const query of ['', '&query=', '&query=%20', '&query=name~%22w%205%22']) {
    const after = await ask('GET', `/shelves/1/books?cursor=${body.pagination.next_cursor}&per_page=3${query}`)
    assert.deepEqual(
      after.body.data.map(({ id }: Book) => id),
      ['51', '52', '53'],
      query,
    )
    assert.ok(after.body.pagination.next.endsWith('&per_page=3&query=name~%22w%205%22'))
  }
})

test('a blank query finds everything', async () => {
  for (const query of ['query=', 'query=%20', 'cursor=', 'cursor=&query=&per_page=25']) {
    assert.equal((await ask('GET', `/shelves/1/books?${query}`)).body.pagination.count, 25, query)
  }
})

test('a row deleted between pages takes no other with it', async () => {
  const { body } = await ask('GET', '/shelves/1/books?per_page=10')
  for (const id of ['3', '10', '11']) removed.add(id)
  const rest = await walk(body.pagination.next.replace(baseUrl, ''))
  removed.clear()
  assert.deepEqual(
    rest.map(({ id }) => id),
    rows.slice(11).map(({ id }) => id),
  )
})

test('a cursor is refused when it is tampered with or used for another list, query, version or organization', async () => {
  const { next_cursor: cursor } = (await ask('GET', '/shelves/1/books?query=name~Row')).body.pagination
  const at = (index: number) =>
    `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`
  const { key } = await addTenant()
  const refused = [
    await ask('GET', `/shelves/3/books?cursor=${cursor}`),
    await ask('GET', `/audit_logs?cursor=${cursor}`),
    await ask('GET', `/shelves/1/books?cursor=${cursor}&query=name~Other`),
    await ask('GET', `/shelves/1/books?cursor=${cursor}`, { headers: { 'x-service-api-version': '2023-05-26' } }),
    await ask('GET', `/shelves/1/books?cursor=${cursor}`, { key }),
    await ask('GET', `/shelves/1/books?cursor=${cursor}A`),
    await ask('GET', '/shelves/1/books?cursor=1'),
    await ask('GET', '/shelves/1/books?cursor=%20'),
    await ask('GET', `/shelves/1/books?cursor=${'A'.repeat(9000)}`),
  ]
  for (let index = 0; index < cursor.length; index += 7) {
    refused.push(await ask('GET', `/shelves/1/books?cursor=${at(index)}`))
  }
  for (const { status, body } of refused) assert.deepEqual([status, body.error], [400, 'bad_cursor'])
})

test('per_page outside 1 to 100 is a 422', async () => {
  for (const size of ['0', '101', '-1', '1.5', 'x', '', '1e1', '9999999999999999999']) {
    const { status, body } = await ask('GET', `/shelves/1/books?per_page=${size}`)
    assert.deepEqual([status, body.error, body.errors[0].field], [422, 'invalid', 'per_page'], size)
  }
  for (const size of ['1', '100']) assert.equal((await ask('GET', `/shelves/1/books?per_page=${size}`)).status, 200)
})

test('a malformed search is a 422 that says where', async () => {
  const wrong = [
    'color:red',
    'name>1',
    '(name:a)',
    'name:',
    'name:"a',
    'id:x AND',
    Array(51).fill('name:a').join(' OR '),
    'a'.repeat(3000),
  ]
  for (const query of wrong) {
    const { status, body } = await ask('GET', `/shelves/1/books?query=${encodeURIComponent(query)}`)
    assert.deepEqual([status, body.error, body.errors[0].field], [422, 'search_invalid', 'query'], query)
    assert.match(body.errors[0].message, /position \d+/)
  }
  assert.equal((await ask('GET', `/shelves/1/books?query=${Array(50).fill('name:a').join('%20OR%20')}`)).status, 200)
})

test('a nested list of an unknown record is a 404, and an empty one an empty page', async () => {
  assert.deepEqual((await ask('GET', '/shelves/2/books')).body, {
    data: [],
    pagination: { next: '', current_cursor: '', next_cursor: '', count: 0 },
  })
  for (const id of ['404', 'x']) {
    const { status, body } = await ask('GET', `/shelves/${id}/books`)
    assert.deepEqual([status, body], [404, { error: 'not_found', message: 'There is no such record.' }])
  }
})

test('`next` works at the longest query there can be', async () => {
  // 2,048 bytes: of each character three, which are nine characters of an address.
  const query = `name~Row OR name~"${'字'.repeat(676)}"  `
  const address = await app().listen({ host: '127.0.0.1', port: 0 })
  const authorization = `Bearer ${(await addTenant()).key}`
  const ask = (url: string) => fetch(url, { headers: { authorization } })
  const first = await ask(`${address}/shelves/1/books?query=${encodeURIComponent(query)}`)
  const { next } = ((await first.json()) as { pagination: { next: string } }).pagination
  assert.ok(next.length > 8_000, `${next.length} characters`)
  const second = await ask(next.replace(/^https:..[^/]+/, address))
  assert.equal(((await second.json()) as { data: Book[] }).data[0]?.id, '26')
  const flood = await ask(`${address}/whoami?x=${'x'.repeat(70_000)}`)
  assert.equal(flood.status, 431)
  assert.match(flood.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(((await flood.json()) as { error: string }).error, 'malformed_request')
})
