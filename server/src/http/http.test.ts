import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeviceAuthenticationModeRequest } from '@muster/contract/device-authentication-modes.ts'
import Type from 'typebox'
import { type Answer, testApp } from '../../test/support/app.ts'
import { ServiceError } from '../base/errors.ts'
import { endpoint, publicEndpoint } from './endpoint.ts'
import { errorBodyOf } from './errors.ts'
import { identifierOf } from './record-id.ts'

const Echo = Type.Object({ said: Type.Unknown() })
const tag = 'Trial'
const flag = Type.Boolean()
const text = Type.Optional(Type.String())

const Flags = Type.Object({
  flag,
  text,
  list: Type.Optional(Type.Array(Type.Object({ flag, text }))),
  either: Type.Optional(Type.Union([Type.Object({ flag }), Type.Null()])),
})

const Rules = Type.Object({
  text,
  short: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
  code: Type.Optional(Type.String({ minLength: 2, pattern: '^[0-9]*$' })),
  few: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  map: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 1 })),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  either: Type.Optional(Type.Union([Type.Object({ flag }), Type.Null()])),
})

const { ask, addKey, addTenant } = testApp({
  env: { MUSTER_API_VERSION_HEADER_ALIASES: 'x-kolide-api-version,x-other-version' },
  addRoutes(app) {
    endpoint(app, {
      method: 'PATCH',
      path: '/trials/:trialId',
      operationId: 'updateTrial',
      summary: 'Try',
      tag,
      permission: 'update_devices',
      body: DeviceAuthenticationModeRequest,
      answer: Echo,
      run: async ({ body, params, context: { actor }, version }) => ({
        said: { ...params, ...body, groups: (body.person_group_ids ?? []).map(identifierOf), actor, version },
      }),
    })
    const posted = { method: 'POST', summary: 'Try', tag, permission: 'update_devices', answer: Echo } as const
    endpoint(app, {
      ...posted,
      path: '/flags',
      operationId: 'postFlags',
      body: Flags,
      run: async ({ body }) => ({ said: body }),
    })
    endpoint(app, {
      ...posted,
      path: '/rules',
      operationId: 'postRules',
      body: Rules,
      run: async ({ body }) => ({ said: body }),
    })
    endpoint(app, {
      method: 'DELETE',
      path: '/trials/:trialId',
      operationId: 'deleteTrial',
      summary: 'Try',
      tag,
      permission: 'read',
      run: async () => {},
    })
    endpoint(app, {
      method: 'GET',
      path: '/trials',
      operationId: 'listTrials',
      summary: 'Try',
      tag,
      permission: 'read',
      feature: 'reporting',
      versions: ['2026-04-07'],
      query: Type.Object({ count: Type.Optional(Type.Integer()), flag: Type.Optional(Type.Boolean()) }),
      answer: Echo,
      run: async ({ query }) => ({ said: query }),
    })
    publicEndpoint(app, {
      method: 'GET',
      path: '/trials/failing',
      operationId: 'failTrial',
      summary: 'Try',
      tag,
      answer: Echo,
      run: () => Promise.reject(new Error('the secret cause')),
    })
    publicEndpoint(app, {
      method: 'GET',
      path: '/trials/unreachable',
      operationId: 'unreachableTrial',
      summary: 'Try',
      tag,
      answer: Echo,
      run: () =>
        Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.0.0.9:5432'), { code: 'ECONNREFUSED' })),
    })
  },
})

const json = { 'content-type': 'application/json' }
const refused = ({ status, body }: Answer) => [status, body.error]

test('a request without a key, with a malformed, unknown or another scheme is a 401', async () => {
  const message = 'Send a valid API key as Authorization: Bearer <key>.'
  const unknown = 'mstr_v1_000000000000000000000000000000000000'
  for (const authorization of [
    '',
    'Bearer',
    'Bearer x',
    `Bearer ${unknown}`,
    'Basic dTpw',
    `Bearer ${'x'.repeat(9000)}`,
  ]) {
    const { status, body, headers } = await ask('GET', '/whoami', { key: undefined, headers: { authorization } })
    assert.equal(status, 401)
    assert.deepEqual(body, { error: 'unauthorized', message })
    const error = /^Bearer ./.test(authorization) ? ', error="invalid_token"' : ''
    const metadata = 'https://muster.test/.well-known/oauth-protected-resource'
    assert.equal(headers['www-authenticate'], `Bearer resource_metadata="${metadata}"${error}`)
    assert.equal(headers['ratelimit-limit'], undefined)
  }
  assert.equal((await ask('GET', '/whoami', { key: undefined })).status, 401)
})

test('the scheme of the key is read in any case', async () => {
  const key = await addKey()
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    assert.equal(
      (await ask('GET', '/whoami', { key: undefined, headers: { authorization: `${scheme} ${key}` } })).status,
      200,
    )
  }
})

test('every answer carries a request id: the caller’s own where it is harmless', async () => {
  for (const url of ['/whoami', '/nothing', '/healthz', '/v0/devices', '/audit_logs?per_page=0', '/%ff']) {
    assert.match((await ask('GET', url)).headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/, url)
  }
  const named = await ask('GET', '/whoami', { headers: { 'x-request-id': 'trace:1.a-b_c' } })
  assert.equal(named.headers['x-request-id'], 'trace:1.a-b_c')
  const harmful = await ask('GET', '/whoami', { headers: { 'x-request-id': 'a b"{}' } })
  assert.match(harmful.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/)
})

test('an unknown version is a 400 that names the supported ones, on whatever path', async () => {
  for (const version of ['2020-01-01', 'latest', '2026-04-07, 2023-05-26']) {
    const { status, body } = await ask('GET', '/whoami', { headers: { 'x-service-api-version': version } })
    assert.equal(status, 400)
    assert.deepEqual(body, {
      error: 'unknown_api_version',
      message: 'This API version does not exist; supported are 2026-04-07 and 2023-05-26.',
    })
  }
})

test('the version comes from the header or its aliases, the header first; none or a blank one means the latest', async () => {
  const versionOf = async (headers: Record<string, string>) => {
    const body = { authentication_mode: 'anyone' }
    return (await ask('PATCH', '/trials/1', { headers, body })).body.said.version
  }
  assert.equal(await versionOf({}), '2026-04-07')
  assert.equal(await versionOf({ 'x-service-api-version': '' }), '2026-04-07')
  assert.equal(await versionOf({ 'X-Service-Api-Version': '2023-05-26' }), '2023-05-26')
  assert.equal(await versionOf({ 'x-kolide-api-version': '2023-05-26' }), '2023-05-26')
  assert.equal(await versionOf({ 'x-other-version': '2023-05-26' }), '2023-05-26')
  const both = { 'x-kolide-api-version': '2023-05-26', 'x-service-api-version': '2026-04-07' }
  assert.equal(await versionOf(both), '2026-04-07')
})

test('an endpoint of one version is not there in the other', async () => {
  assert.equal((await ask('GET', '/trials')).status, 200)
  const { status, body } = await ask('GET', '/trials', { headers: { 'x-service-api-version': '2023-05-26' } })
  assert.equal(status, 404)
  assert.deepEqual(body, { error: 'not_found', message: 'There is nothing at this address in version 2023-05-26.' })
})

test('v0 is gone, as a header and as a path', async () => {
  const gone = { error: 'api_version_gone', message: 'Version v0 of the API was disabled on 2026-02-27.' }
  const answers = [
    await ask('GET', '/whoami', { headers: { 'x-service-api-version': 'v0' } }),
    await ask('GET', '/whoami', { headers: { 'x-kolide-api-version': 'v0' }, key: undefined }),
    await ask('GET', '/v0'),
    await ask('GET', '/api/v0'),
    await ask('GET', '/api/v0/devices?per_page=1', { key: undefined }),
    await ask('POST', '/v0/devices/1', { body: {} }),
  ]
  for (const { status, body } of answers) assert.deepEqual([status, body], [410, gone])
})

test('an unknown address is a 404 in the body of every error', async () => {
  const nothing = { error: 'not_found', message: 'There is nothing at this address in version 2026-04-07.' }
  for (const [method, url] of [
    ['GET', '/nothing'],
    ['DELETE', '/whoami/1'],
    ['GET', '/whoami/1'],
  ] as const) {
    const { status, body, headers } = await ask(method, url)
    assert.deepEqual([status, body], [404, nothing])
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  }
  assert.deepEqual(refused(await ask('GET', '/trials/%zz')), [400, 'malformed_request'])
})

test('addresses work with and without a trailing slash', async () => {
  assert.equal((await ask('GET', '/whoami/')).status, 200)
  assert.equal((await ask('GET', '/audit_logs/?per_page=1')).status, 200)
})

test('a path parameter that can be no identifier is a 404', async () => {
  const body = { authentication_mode: 'anyone' }
  for (const id of ['abc', '-1', '1.5', '01', '9223372036854775808', '99999999999999999999', '1%00', '%F0%9F%98%80']) {
    const answer = await ask('PATCH', `/trials/${id}`, { body })
    assert.equal(answer.status, 404, id)
  }
  assert.equal((await ask('PATCH', '/trials/9223372036854775807', { body })).status, 200)
})

test('PUT does what PATCH does', async () => {
  const options = { body: { authentication_mode: 'anyone', person_group_ids: ['7', 8, '009'] } }
  const saidBy = async (method: 'PATCH' | 'PUT') => {
    const { status, body } = await ask(method, '/trials/5', options)
    // Each request has a cause of its own.
    const { source, ...actor } = body.said.actor
    assert.match(source.cause, /^[0-9a-f-]{36}$/)
    return { status, body: { ...body, said: { ...body.said, actor } } }
  }
  const patched = await saidBy('PATCH')
  assert.equal(patched.status, 200)
  assert.deepEqual(patched.body.said.groups, ['7', '8', '9'])
  assert.equal(patched.body.said.actor.name, 'Full access')
  assert.deepEqual(await saidBy('PUT'), patched)
})

test('a malformed body is a 400, another content type a 415, a large one a 413', async () => {
  const send = (body: unknown, headers: Record<string, string> = json) => ask('PATCH', '/trials/1', { body, headers })
  for (const text of ['{', ' ', 'nul', '{"a":1}}', '{"__proto__": {}}', '[1,]']) {
    assert.deepEqual(refused(await send(text)), [400, 'malformed_json'], text)
  }
  const whole = JSON.stringify({ authentication_mode: 'anyone' })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
    assert.deepEqual(refused(await send(whole, { 'content-type': type })), [415, 'unsupported_media_type'], type)
  }
  assert.equal((await send(whole, { 'content-type': 'application/json; charset=utf-8' })).status, 200)
  assert.deepEqual(refused(await send(JSON.stringify({ note: 'x'.repeat(2 ** 20) }))), [413, 'body_too_large'])
})

test('a body that is not acceptable is a 422 that names every field, and nothing in it is converted', async () => {
  const send = async (body: unknown) => {
    const answer = await ask('PATCH', '/trials/1', { body: JSON.stringify(body), headers: json })
    assert.deepEqual([answer.status, answer.body.error], [422, 'invalid'])
    return answer.body.errors
  }
  assert.deepEqual(await send({}), [{ field: 'authentication_mode', message: 'is required' }])
  assert.deepEqual(await send([]), [{ field: '', message: 'must be an object' }])
  const identifier = 'must be an identifier: digits, as a string or a number'
  const allowed = 'must be one of only_registered_owner, only_registered_owner_or_group_members, anyone'
  assert.deepEqual(await send({ authentication_mode: 'none', person_group_ids: ['1', 'x', 1.5, -1, null] }), [
    { field: 'authentication_mode', message: allowed },
    { field: 'person_group_ids/1', message: identifier },
    { field: 'person_group_ids/2', message: 'must be a string or a whole number' },
    { field: 'person_group_ids/3', message: 'must be a string or must be at least 0' },
    { field: 'person_group_ids/4', message: 'must be a string or a whole number' },
  ])
  assert.deepEqual(await send({ authentication_mode: 'anyone', person_group_ids: '1' }), [
    { field: 'person_group_ids', message: 'must be a list' },
  ])
  assert.equal((await send({ authentication_mode: 'anyone', person_group_ids: Array(1000).fill('x') })).length, 50)
})

test('the message of a 422 is its first fault, for clients that show nothing else', () => {
  const messageOf = (...errors: { field: string; message: string }[]) =>
    errorBodyOf(new ServiceError('invalid', { errors })).message
  const name = { field: 'name', message: 'is required' }
  assert.equal(messageOf(name), 'name is required.')
  assert.equal(messageOf(name, { field: 'sql', message: 'is required' }), 'name is required. 1 more: see errors.')
  assert.equal(
    messageOf({ field: '', message: 'must name at least one target' }),
    'The request must name at least one target.',
  )
  assert.equal(messageOf({ field: '', message: 'no computer is targeted' }), 'No computer is targeted.')
  assert.equal(
    messageOf({ field: 'device_ids/1', message: 'there is no such device' }),
    'device_ids/1: there is no such device.',
  )
  assert.equal(messageOf({ field: 'x'.repeat(9_000), message: 'is required' }).length, 113)
  assert.equal(messageOf(), 'The request is not valid.')
})

test('a refusal for the state of a record names the parameter or member that it is about', () => {
  const { message, errors } = errorBodyOf(
    new ServiceError('check_not_refreshable', { message: 'The check is paused.' }),
  )
  assert.equal(message, 'The check is paused.')
  assert.deepEqual(errors, [{ field: 'check_id', message }])
})

test('a body that is left out or empty is a 422 that names what is missing', async () => {
  const errors = [{ field: 'authentication_mode', message: 'is required' }]
  for (const options of [{}, { headers: json }, { headers: json, body: '' }]) {
    const { status, body } = await ask('PATCH', '/trials/1', options)
    assert.deepEqual([status, body], [422, { error: 'invalid', message: 'authentication_mode is required.', errors }])
  }
})

test('the strings "true" and "false" are booleans in a body, and other text is none', async () => {
  const send = (body: object) => ask('POST', '/flags', { body })
  const given = { flag: 'true', list: [{ flag: 'false', text: 'true' }], either: { flag: 'true' }, text: 'false' }
  const read = { flag: true, list: [{ flag: false, text: 'true' }], either: { flag: true }, text: 'false' }
  assert.deepEqual((await send(given)).body.said, read)
  assert.deepEqual((await send(read)).body.said, read)
  for (const flag of ['True', 'yes', '', 1, null, ['true']]) {
    const { status, body } = await send({ flag })
    assert.deepEqual([status, body.errors], [422, [{ field: 'flag', message: 'must be true or false' }]])
  }
})

test('every rule of a schema is explained in plain words', async () => {
  const refused: [name: string, value: unknown, message: string][] = [
    ['text', 7, 'must be a string'],
    ['short', '', 'must not be empty'],
    ['short', 'abcd', 'must have at most 3 characters'],
    ['code', 'a', 'must have at least 2 characters'],
    ['code', 'abc', 'is not in the right form'],
    ['few', [], 'must have at least 1 item'],
    ['few', ['a', 'b', 'c'], 'must have at most 2 items'],
    ['few', ['a', 'a'], 'must not have repeated items'],
    ['count', 0, 'must be at least 1'],
    ['count', 11, 'must be at most 10'],
    ['count', 1.5, 'must be a whole number'],
    ['map', { a: '1', b: '2' }, 'must have at most 1 member'],
    ...['now', '2026-01-31', '2026-01-31T09:30:00', '2026-01-31T09:30:00+25:00'].map(
      (at): [string, unknown, string] => [
        'at',
        at,
        'must be an ISO 8601 date and time with a time zone, such as 2026-01-31T09:30:00Z or 2026-01-31T15:00:00+05:30',
      ],
    ),
    ['either', 'a', 'must be an object or null'],
  ]
  for (const [name, value, message] of refused) {
    const { status, body } = await ask('POST', '/rules', { body: { [name]: value } })
    assert.deepEqual([status, body.errors], [422, [{ field: name, message }]])
  }
})

test('text that no database can hold is refused in bodies', async () => {
  const message = 'must not contain NUL or half a surrogate pair'
  const send = (text: string) =>
    ask('PATCH', '/trials/1', { body: `{"authentication_mode":"anyone","x":${text}}`, headers: json })
  for (const text of ['"\\u0000"', '"\\ud800"', '"a\\uDFFFb"']) {
    const { status, body } = await send(text)
    assert.deepEqual([status, body.errors], [422, [{ field: 'x', message }]])
  }
  assert.deepEqual((await send('{"y":["\\u0000"]}')).body.errors, [{ field: 'x/y/0', message }])
  assert.equal((await send('"\\ud83d\\ude00"')).status, 200)
})

test('a body that nobody asked for is ignored', async () => {
  for (const headers of [json, { 'content-type': 'text/plain' }]) {
    assert.equal((await ask('DELETE', '/trials/1', { headers })).status, 204)
    assert.equal((await ask('DELETE', '/trials/1', { headers, body: 'surplus' })).status, 204)
  }
})

test('numbers and truth values are read from the query string, and what is neither is a 422', async () => {
  assert.deepEqual((await ask('GET', '/trials?count=-5&flag=true')).body, { said: { count: -5, flag: true } })
  for (const query of ['count=1.5', 'count=1e3', 'count=', 'count=1&count=2', 'flag=1']) {
    const { status, body } = await ask('GET', `/trials?${query}`)
    assert.deepEqual([status, body.errors[0].field], [422, query.slice(0, query.indexOf('='))], query)
  }
})

test('a key without the permission is a 403 that names it', async () => {
  const key = await addKey(['remove_devices'])
  const { status, body } = await ask('PATCH', '/trials/1', { key, body: { authentication_mode: 'anyone' } })
  assert.equal(status, 403)
  assert.deepEqual(body, { error: 'permission_missing', message: 'This key lacks the permission Update Devices.' })
})

test('a failure tells nothing of its cause, and a database that is away is a 503', async () => {
  const failed = await ask('GET', '/trials/failing', { key: undefined })
  const message = 'Something went wrong on our side. Give the request id to your operator.'
  assert.deepEqual([failed.status, failed.body], [500, { error: 'internal', message }])
  const away = await ask('GET', '/trials/unreachable', { key: undefined })
  assert.deepEqual(
    [away.status, away.body],
    [503, { error: 'unavailable', message: 'The service is unavailable right now. Try again soon.' }],
  )
})

test('keys of one organization know nothing of another', async () => {
  const { key } = await addTenant()
  assert.notDeepEqual((await ask('GET', '/whoami', { key })).body, (await ask('GET', '/whoami')).body)
})
