import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { permissions } from '@muster/contract/permissions.ts'
import type { FastifyContextConfig, RouteOptions } from 'fastify'
import { consolePrefix } from '../src/http/console-address.ts'
import {
  type Declared,
  declaredOperations,
  needOfAdministrator,
  needOfKey,
  permissionsMarkdown,
} from '../src/http/describe-permissions.ts'
import type { Operation } from '../src/http/operations.ts'
import { testApp } from './support/app.ts'

const trial = testApp({
  hasAgents: true,
  env: {
    MUSTER_OIDC_ISSUER: 'https://id.example.com',
    MUSTER_OIDC_CLIENT_ID: 'muster',
    MUSTER_OIDC_CLIENT_SECRET: 'secret',
  },
})

type Route = Pick<RouteOptions, 'method' | 'url' | 'constraints' | 'onRequest'> & {
  config?: FastifyContextConfig
}

/** What a route lacks: each says what it is, how its callers get in and whose pages may send it, as its operation declares. */
function faultsOf(route: Route): string[] {
  const { config = {}, url, method, constraints, onRequest } = route
  const { scheme, access, kind, origin, operationId, rights } = config
  const name = `${method} ${url}`
  if (!scheme || !kind || !origin) return [`${name} declares no scheme, kind or origin`]
  if (operationId === undefined) {
    if (!scheme.kinds.includes(kind)) return [`${name} has no operation`]
    return scheme.refusal && !onRequest ? [`${name} lets everyone in`] : []
  }
  const declared = declaredOperations.find((one) => one.operationId === operationId)
  if (!declared) return [`${name} is not in the table of operations`]
  const isInConsole = url.startsWith(consolePrefix)
  const feature = 'feature' in declared ? declared.feature : undefined
  return [
    url === `${isInConsole ? consolePrefix : ''}${declared.path}` ? undefined : `${name} is at another address`,
    isInConsole ? undefined : apiFault(declared, access, constraints?.['apiVersion']),
    isInConsole && rights?.requires !== consoleNeed(declared) ? `${name} asks for ${rights?.requires}` : undefined,
    isInConsole && origin === 'any' ? `${name} takes requests of other sites` : undefined,
    isInConsole && rights?.feature !== feature ? `${name} asks for no feature` : undefined,
    access === 'public' || onRequest ? undefined : `${name} lets everyone in`,
  ].filter((fault) => fault !== undefined)
}

const apiFault = (declared: Declared, access: string | undefined, version: unknown): string | undefined =>
  access !== needOfKey(declared)
    ? `${declared.operationId} asks for ${access}`
    : version === undefined
      ? `${declared.operationId} is bound to no version`
      : undefined

/** `nothing` before anyone has signed in. */
function consoleNeed(declared: Declared): string {
  const need = needOfAdministrator(declared)
  return need === 'public' ? 'nothing' : need
}

/** What an operation lacks for a reader of the documents, or for the safety of what it changes. */
function faultsOfOperation({ operationId, method, summary, tag, access, answer, file, status }: Operation): string[] {
  const isChange = method !== 'GET'
  return [
    /^[a-z][a-zA-Z]+$/.test(operationId) ? undefined : `${operationId} is not in camel case`,
    summary && tag ? undefined : `${operationId} has no summary or no tag`,
    isChange && (access === 'read' || access === 'public')
      ? `${operationId} changes records without a permission`
      : undefined,
    status === 204 || answer || file ? undefined : `${operationId} has no answer`,
  ].filter((fault) => fault !== undefined)
}

/** Operations that no test names; a test of the API names the operation it is about. */
function untested(operations: readonly Operation[], tests: readonly string[]): string[] {
  const words = new Set(tests.flatMap((text) => text.match(/\b[a-z][a-zA-Z]+\b/g) ?? []))
  // PUT is the kit's alias of PATCH and is tested there once for all.
  const named = operations.filter(({ method }) => method !== 'PUT').map(({ operationId }) => operationId)
  return named.filter((name) => !words.has(name))
}

async function readTests(): Promise<string[]> {
  const root = new URL('../../', import.meta.url)
  const files = await Array.fromAsync(glob('server/{src,test}/**/*.test.ts', { cwd: root.pathname }))
  return Promise.all(files.map((file) => readFile(new URL(file, root), 'utf8')))
}

test('every route declares what it is, who may call it and whose pages may send it, as the table of operations says', () => {
  const { routes } = trial.app
  assert.ok(routes.length > declaredOperations.length, 'the routes are seen')
  assert.deepEqual(routes.flatMap(faultsOf), [])
})

test('every operation of the table has its route, and its method', () => {
  const served = new Set(
    trial.app.routes.flatMap(({ method, config }) => [method].flat().map((one) => `${one} ${config?.operationId}`)),
  )
  const missing = declaredOperations.filter(({ method, operationId }) => !served.has(`${method} ${operationId}`))
  assert.deepEqual(missing, [])
})

test('docs/permissions.md is what the operations declare', async () => {
  const page = await readFile(new URL('../../docs/permissions.md', import.meta.url), 'utf8')
  assert.equal(page, permissionsMarkdown(), 'npm run docs writes it')
})

/** Every operation less strict than it is: without its permission, power, proof of identity, feature or rule of origin. */
function* loosened(): Generator<readonly [name: string, declared: readonly Declared[]]> {
  for (const one of declaredOperations) {
    const { permission, requires, inConsole, feature } = one
    const isForAnyone = permission === undefined && requires === undefined
    const looser: Readonly<Record<string, Declared | false | '' | undefined>> = {
      permission: permission !== undefined && permission !== 'read' && { ...one, permission: 'read' },
      requires: requires !== undefined && requires !== 'read' && { ...one, requires: 'read' },
      power: inConsole?.power && { ...one, inConsole: { ...inConsole, power: undefined } },
      proof: one.needsFreshProof && { ...one, needsFreshProof: undefined },
      'proof in the console': inConsole?.needsFreshProof && {
        ...one,
        inConsole: { ...inConsole, needsFreshProof: undefined },
      },
      feature: feature && { ...one, feature: undefined },
      'second factor': requires !== undefined && !one.isBeforeFactor && { ...one, isBeforeFactor: true },
      origin: isForAnyone && !one.isFromAnywhere && { ...one, isFromAnywhere: true },
    }
    for (const [what, changed] of Object.entries(looser)) {
      if (!changed) continue
      yield [`${one.operationId}: ${what}`, declaredOperations.map((each) => (each === one ? changed : each))]
    }
  }
}

test('no permission, proof, feature or rule of origin can go without a change of the page that is reviewed', () => {
  const page = permissionsMarkdown()
  const mutants = [...loosened()]
  assert.ok(mutants.length > 250, `${mutants.length} mutants`)
  const survivors = mutants.filter(([, declared]) => permissionsMarkdown(declared) === page).map(([name]) => name)
  assert.deepEqual(survivors, [])
})

test('what keys need is enforced: no key, no permission and no feature are refused before the body is looked at', async () => {
  const withoutPermission = await trial.addKey()
  for (const one of declaredOperations.filter(({ tag, permission }) => permission && tag !== 'Console')) {
    const url = one.path.replaceAll(/:\w+/g, '1')
    const ask = (key: string | undefined) =>
      trial.ask(one.method, url, { key, ...(one.method !== 'GET' && { body: {} }) })
    const need = needOfKey(one)
    if (need === 'public') continue
    assert.equal((await ask(undefined)).status, 401, `${one.operationId} without a key`)
    if (need === 'read') continue
    const { status, body } = await ask(withoutPermission)
    assert.deepEqual([one.operationId, status, body.error], [one.operationId, 403, 'permission_missing'])
  }
  const { organizationId } = trial.tenant
  const features = [...new Set(declaredOperations.map(({ feature }) => feature))].filter((one) => one !== undefined)
  await trial.db
    .updateTable('organizations')
    .set({ disabled_features: features })
    .where('id', '=', organizationId)
    .execute()
  const key = await trial.addKey(Object.keys(permissions) as (keyof typeof permissions)[])
  for (const one of declaredOperations.filter(
    ({ tag, permission, feature }) => feature && permission && tag !== 'Console',
  )) {
    const url = one.path.replaceAll(/:\w+/g, '1')
    const { status, body } = await trial.ask(one.method, url, { key, ...(one.method !== 'GET' && { body: {} }) })
    assert.deepEqual([one.operationId, status, body.error], [one.operationId, 401, 'feature_unavailable'])
  }
  await trial.reset()
})

const requests = () =>
  trial.app.routes.flatMap(({ method, url, config = {} }) =>
    [method].flat().map((one) => ({ method: one, url: url.replaceAll(/:\w+/g, '1'), config })),
  )

test('what other sites send to the console and to sign-ins is refused', async () => {
  for (const { method, url, config } of requests()) {
    if (method === 'HEAD' || method === 'OPTIONS') continue
    if (config.origin !== 'own_pages' && config.origin !== 'navigation') continue
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://elsewhere.example' }
    const body = method === 'GET' ? {} : { body: {} }
    const answer = await trial.ask(method, url, { key: undefined, headers, ...body })
    const isRefused = answer.status === 403 && answer.body.error === 'cross_site'
    // A sign-in of that number is looked for first: pages of others see none.
    assert.ok(
      isRefused || (config.scheme?.name === 'sign_in' && answer.status === 404),
      `${method} ${url}: ${answer.status}`,
    )
  }
})

test('every scheme has one name, and refuses whoever brings nothing where it says so, before the body is looked at', async () => {
  const schemes = new Set(requests().map(({ config }) => config.scheme))
  const names = [...schemes].map((scheme) => scheme?.name)
  assert.ok(names.length >= 9, names.join(', '))
  // The console has one for operations and one for what is a session's alone, by the same cookie.
  assert.deepEqual(names.length - new Set(names).size, 1)
  let asked = 0
  for (const { method, url, config } of requests()) {
    if (!config.scheme?.refusal || config.access === 'public' || config.rights?.requires === 'nothing') continue
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const { statusCode } = await trial.app.inject({
      ...{ method: method as 'GET', url, headers },
      ...(method !== 'GET' && method !== 'HEAD' && { payload: '{' }),
    })
    assert.deepEqual([method, url, statusCode], [method, url, config.scheme.refusal])
    asked += 1
  }
  assert.ok(asked > 300, `${asked} requests`)
})

test('every operation is documented, and every change needs a permission', () => {
  assert.deepEqual(trial.app.kit.operations.flatMap(faultsOfOperation), [])
})

test('every operation is named by a test', async () => {
  assert.deepEqual(untested(trial.app.kit.operations, await readTests()), [])
})

test('the policy finds what it looks for', () => {
  const [operation] = trial.app.kit.operations
  assert.ok(operation)
  const scheme = { name: 'a_key', kinds: [] }
  const config = { scheme, kind: 'json', origin: 'any' } as const
  const ofDevices = { access: 'read', operationId: 'getDevice', ...config } as const
  const route = { method: 'GET', url: '/devices/:id', constraints: { apiVersion: '2026-04-07' }, onRequest: () => {} }
  const fault = (changed: Partial<Route>) => faultsOf({ ...route, config: ofDevices, ...changed })[0] ?? ''
  assert.equal(fault({}), '')
  assert.match(fault({ config: {} }), /declares no scheme/)
  assert.match(fault({ config: { ...config, access: 'read' } }), /no operation/)
  assert.match(fault({ config: { ...ofDevices, operationId: 'getNothing' } }), /not in the table/)
  assert.match(fault({ config: { ...ofDevices, access: 'update_devices' } }), /asks for update_devices/)
  assert.match(fault({ url: '/elsewhere' }), /another address/)
  assert.match(fault({ constraints: {} }), /no version/)
  const foreign = { name: 'foreign', kinds: ['foreign'], refusal: 401 } as const
  const users = {
    method: 'GET',
    url: '/scim/v2/Users',
    config: { ...config, scheme: foreign, kind: 'foreign' },
  } as const
  assert.match(faultsOf(users)[0] ?? '', /lets everyone in/)
  assert.match(faultsOf({ ...users, config: { ...users.config, kind: 'form' } })[0] ?? '', /no operation/)
  const inConsole = { url: '/console/api/devices/:id', config: { ...ofDevices, rights: { requires: 'read' } as const } }
  assert.match(fault(inConsole), /other sites/)
  assert.match(
    fault({ ...inConsole, config: { ...inConsole.config, rights: { requires: 'nothing' } } }),
    /asks for nothing/,
  )
  assert.match(faultsOfOperation({ ...operation, method: 'POST', access: 'read' })[0] ?? '', /without a permission/)
  assert.match(faultsOfOperation({ ...operation, summary: '' })[0] ?? '', /no summary/)
  assert.match(faultsOfOperation({ ...operation, answer: undefined })[0] ?? '', /no answer/)
  assert.deepEqual(untested([operation], ['nothing of the kind']), [operation.operationId])
})
