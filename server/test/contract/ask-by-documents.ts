import { type ApiVersion, apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance } from 'fastify'
import type { Answer } from '../support/app.ts'
import { type Document, holdToDocument } from './hold-to-document.ts'

export type Asking = {
  version: ApiVersion
  key?: string | undefined
  headers?: Record<string, string>
  body?: unknown
  /** The request is wrong on purpose: only what is answered is held to the documents. */
  isWrong?: boolean
}

export type Ask = (method: string, path: string, asking: Asking) => Promise<Answer>

/**
 * Asks the listening app, and holds every request and answer to the document that it serves for that version. Asking
 * fails on a violation.
 */
export async function askByDocuments(app: FastifyInstance): Promise<Ask> {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const judges = new Map<ApiVersion, ReturnType<typeof holdToDocument>>()
  for (const version of apiVersions) {
    const document = await (await fetch(`${origin}/openapi/${version}.json`)).json()
    judges.set(version, holdToDocument(document as Document))
  }
  return async (method, path, { version, key, headers = {}, body, isWrong = false }) => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${origin}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-service-api-version': version,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    const text = await response.text()
    const contentType = response.headers.get('content-type') ?? undefined
    const answer = contentType?.includes('json') ? JSON.parse(text) : text
    const exchange = { method, path, body: isWrong ? undefined : sent, status: response.status, contentType, answer }
    const violations = judges
      .get(version)?.(exchange)
      .filter((violation) => violation.in === 'response' || !isWrong)
    if (!violations || violations.length > 0) {
      throw new Error(`${method} ${path} (${version}): ${JSON.stringify(violations)} in ${text.slice(0, 500)}`)
    }
    return { status: response.status, body: answer, headers: Object.fromEntries(response.headers) }
  }
}
