import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiVersion, apiVersions } from '@muster/contract/versions.ts'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Answer } from '../support/app.ts'

export type Asking = {
  version: ApiVersion
  key?: string | undefined
  headers?: Record<string, string>
  body?: unknown
  /** The request is wrong on purpose: only what is answered is held to the documents. */
  isWrong?: boolean
}

/** What the proxy found fault with, as it says so. */
type Violation = { location: string[]; severity: string; message: string }

export type Proxied = {
  ask(method: string, path: string, asking: Asking): Promise<Answer>
  close(): Promise<void>
}

/**
 * The app behind Prism, one proxy for each version, which holds every request and answer to the served documents.
 * Asking fails on a violation.
 */
export async function throughPrism(app: FastifyInstance): Promise<Proxied> {
  const upstream = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const folder = await mkdtemp(join(tmpdir(), 'muster-prism-'))
  const opened = await Promise.all(apiVersions.map((version) => openProxy(folder, upstream, version)))
  const proxies = new Map(opened.map(({ version, ...proxy }) => [version, proxy]))
  return {
    async ask(method, path, { version, key, headers = {}, body, isWrong = false }) {
      const proxy = proxies.get(version)
      const response = await fetch(`${proxy?.url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          'x-service-api-version': version,
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const found = JSON.parse(response.headers.get('sl-violations') ?? '[]') as Violation[]
      const violations = found.filter(({ location }) => location[0] === 'response' || !isWrong)
      if (violations.length > 0) {
        throw new Error(`${method} ${path} (${version}): ${JSON.stringify(violations)} in ${text.slice(0, 500)}`)
      }
      const isJson = response.headers.get('content-type')?.includes('json')
      return {
        status: response.status,
        body: isJson ? JSON.parse(text) : text,
        headers: Object.fromEntries(response.headers),
      }
    },
    async close() {
      for (const { close } of opened) await close()
      await rm(folder, { recursive: true })
    },
  }
}

async function openProxy(folder: string, upstream: URL, version: ApiVersion) {
  const file = join(folder, `${version}.json`)
  const response = await fetch(new URL(`/openapi/${version}.json`, upstream))
  const document = (await response.json()) as object
  await writeFile(file, JSON.stringify({ ...document, servers: [{ url: upstream.href }] }))
  const server = createServer(await getHttpOperationsFromSpec(file), {
    components: { logger: pino({ level: 'silent' }) },
    cors: false,
    config: {
      isProxy: true,
      upstream,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
      upstreamProxy: undefined,
    },
  })
  const url = await server.listen(0, '127.0.0.1')
  return { version, url, close: () => server.close() }
}
