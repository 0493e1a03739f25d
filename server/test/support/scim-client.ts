import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { createScimToken } from '../../src/access/scim/create-token.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import type { Answer, TestApp } from './app.ts'

export type ScimOptions = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  payload?: string
  /** Another server over the same data. */
  server?: FastifyInstance
}

/** An identity provider with a token of the app's organization, unless told otherwise. */
export function scimClient(app: TestApp) {
  let token = ''

  async function addToken(organizationId = app.tenant.organizationId, name = 'Okta'): Promise<string> {
    const asked = { name }
    return (
      await transact(app.db, (tx) => createScimToken(tx, app.secrets, asked, systemChange(organizationId, app.now())))
    ).token
  }

  /** To be called after every reset of the app. */
  async function begin(): Promise<void> {
    token = await addToken()
  }

  async function ask(method: string, path: string, options: ScimOptions = {}): Promise<Answer> {
    const { body, headers = {}, payload = body === undefined ? undefined : JSON.stringify(body) } = options
    const { server = app.app } = options
    const {
      statusCode,
      headers: answered,
      payload: text,
    } = await server.inject({
      method: method as 'GET',
      url: `/scim/v2${path}`,
      headers: {
        authorization: `Bearer ${options.token ?? token}`,
        ...(payload !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    })
    if (text !== '') assert.equal(answered['content-type'], 'application/scim+json; charset=utf-8', text)
    return {
      status: statusCode,
      body: text === '' ? undefined : JSON.parse(text),
      headers: answered as Record<string, string | undefined>,
    }
  }

  return { ask, begin, addToken }
}

/** The body of a refusal (RFC 7644 §3.12). */
export const scimError = (status: number, detail: string, scimType?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
})
