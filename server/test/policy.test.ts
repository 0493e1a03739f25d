import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { permissions } from '@muster/contract/permissions.ts'
import type { FastifyContextConfig, RouteOptions } from 'fastify'
import type { Operation } from '../src/http/operations.ts'
import { testApp } from './support/app.ts'

// One engine: it is about what routes declare.

const trial = testApp()

type Route = Pick<RouteOptions, 'method' | 'url' | 'constraints' | 'onRequest'> & {
  config?: FastifyContextConfig
}

const outsideTheApi = new Set(['agent', 'scim', 'oauth', 'operator', 'console', 'page'])
const apiAccess = new Set(['public', 'read', ...Object.keys(permissions)])

/** For receivers they are at addresses of their own, which the Shared Signals Framework gives. */
const changesByAdministrators = new Set([
  '/console/api/ssf_streams/:streamId/status',
  '/console/api/ssf_streams/:streamId/verify',
])

/** What a route lacks; routes of agents, operators and pages only have to say that they are that. */
function faultsOf(route: Route, operations: readonly Operation[]): string[] {
  const { config = {}, url, method } = route
  const name = `${method} ${url}`
  if (config.access === undefined) return [`${name} declares no access: register it with endpoint or listEndpoint`]
  if (outsideTheApi.has(config.access)) {
    if (['scim', 'console'].includes(config.access) && !route.onRequest) return [`${name} lets everyone in`]
    return config.operationId ? [`${name} is no part of the API, yet has an operationId`] : []
  }
  // They are the console's own: for sessions only, and no part of the documents.
  if (url.startsWith('/console/api/views/') || changesByAdministrators.has(url)) {
    const isGuarded = config.access !== 'public' && apiAccess.has(config.access) && route.onRequest !== undefined
    return isGuarded ? [] : [`${name} lets everyone in`]
  }
  const operation = operations.find(({ operationId }) => operationId === config.operationId)
  if (!operation) return [`${name} has no operation in the documents`]
  const version = route.constraints?.['apiVersion']
  return [
    apiAccess.has(config.access) ? undefined : `${name} asks for the unknown permission ${config.access}`,
    operation.versions.some((one) => one === version) ? undefined : `${name} is bound to no version`,
    config.access === 'public' || route.onRequest ? undefined : `${name} lets everyone in`,
  ].filter((fault) => fault !== undefined)
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
  const files = await Array.fromAsync(
    glob(['server/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts'], { cwd: root.pathname }),
  )
  return Promise.all(files.map((file) => readFile(new URL(file, root), 'utf8')))
}

test('every route declares who may call it, and those of the API have an operation and a version', () => {
  const { routes, kit } = trial.app
  assert.ok(routes.length > kit.operations.length, 'the routes are seen')
  assert.deepEqual(
    routes.flatMap((route) => faultsOf(route, kit.operations)),
    [],
  )
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
  const { operationId, path: url } = operation
  const route = { method: 'GET', url, constraints: { apiVersion: '2026-04-07' }, onRequest: () => {} } satisfies Route
  const faults = (changed: Partial<Route>) =>
    faultsOf({ ...route, config: { access: 'read', operationId }, ...changed }, [operation])
  assert.deepEqual(faults({}), [])
  assert.match(faults({ config: {} })[0] ?? '', /declares no access/)
  assert.match(faults({ config: { access: 'read' } })[0] ?? '', /no operation/)
  assert.match(faults({ config: { access: 'page', operationId } })[0] ?? '', /no part of the API/)
  assert.match(faults({ config: { access: 'admin' as 'read', operationId } })[0] ?? '', /unknown permission/)
  assert.match(
    faultsOf({ method: 'GET', url, constraints: {}, config: { access: 'scim' } }, [operation])[0] ?? '',
    /lets everyone in/,
  )
  const view = {
    method: 'GET',
    url: '/console/api/views/devices',
    constraints: {},
    config: { access: 'read' },
  } as const
  assert.match(faultsOf(view, [operation])[0] ?? '', /lets everyone in/)
  assert.match(faults({ constraints: {} })[0] ?? '', /no version/)
  assert.match(
    faultsOf({ method: 'GET', url, constraints: route.constraints, config: { access: 'read', operationId } }, [
      operation,
    ])[0] ?? '',
    /lets everyone in/,
  )
  assert.match(faultsOfOperation({ ...operation, method: 'POST', access: 'read' })[0] ?? '', /without a permission/)
  assert.match(faultsOfOperation({ ...operation, summary: '' })[0] ?? '', /no summary/)
  assert.match(faultsOfOperation({ ...operation, answer: undefined })[0] ?? '', /no answer/)
  assert.deepEqual(untested([operation], ['nothing of the kind']), [operationId])
})
