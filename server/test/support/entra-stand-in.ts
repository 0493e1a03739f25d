import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'
import type { FastifyInstance } from 'fastify'
import {
  createLocalJWKSet,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { guardedFetch } from '../../src/base/outbound/guarded-fetch.ts'
import type { FetchDocument } from '../../src/sign-in/entra/tenant-keys.ts'
import { baseUrl } from './app.ts'
import { signInBrowser } from './sign-in-browser.ts'

export type Cloud = 'global' | 'us_government' | 'china'

const hosts: Readonly<Record<Cloud, string>> = {
  global: 'login.microsoftonline.com',
  us_government: 'login.microsoftonline.us',
  china: 'login.partner.microsoftonline.cn',
}
export const clouds = Object.keys(hosts) as Cloud[]

export const tenantId = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
export const appId = 'c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04'
export const anaOid = '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef'

const acr = ['possessionorinherence']
const amr = ['face', 'fido', 'fpt', 'hwk', 'iris', 'otp', 'pop', 'retina', 'sc', 'sms', 'swk', 'tel', 'vbm']

type Sent = { cloud?: Cloud; claims?: Record<string, unknown>; header?: Record<string, unknown>; key?: SigningKey }
type SigningKey = Parameters<SignJWT['sign']>[0]
type Connection = { id: string; clientId: string }

/** Microsoft Entra in its three clouds, on this machine. Call it at the top level. */
export function entraStandIn() {
  const keys = new Map<Cloud, GenerateKeyPairResult>()
  const asked: string[] = []
  let documents: (cloud: Cloud, path: string) => unknown = () => undefined
  const server = createServer((request, response) => {
    const [, cloud = '', ...rest] = (request.url ?? '').split('/')
    asked.push(request.url ?? '')
    const document = documents(cloud as Cloud, `/${rest.join('/')}`)
    response.writeHead(document === undefined ? 503 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? {}))
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    for (const cloud of clouds) keys.set(cloud, await generateKeyPair('RS256', { extractable: true }))
    await heal()
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Where the clouds are in a test, asked by the client that everything leaves through. */
  const fetchDocument: FetchDocument = (url, options) => {
    const { host, pathname } = new URL(url)
    const cloud = clouds.find((one) => hosts[one] === host)
    if (!cloud) throw new Error(`Nobody is to ask ${host}`)
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return guardedFetch({ trustedOrigin: origin })(`${origin}/${cloud}${pathname}`, options)
  }

  /** Every cloud answers as Microsoft's do, with keys of whatever tenants are given. */
  async function heal(issuer = (cloud: Cloud) => `https://${hosts[cloud]}/{tenantid}/v2.0`): Promise<void> {
    const published = new Map<Cloud, unknown>()
    for (const cloud of clouds) {
      const jwk = await exportJWK((keys.get(cloud) as GenerateKeyPairResult).publicKey)
      published.set(cloud, { keys: [{ ...jwk, kid: `${cloud}-1`, use: 'sig', issuer: issuer(cloud) }] })
    }
    documents = (cloud, path) => {
      if (path === '/common/discovery/v2.0/keys') return published.get(cloud)
      if (path !== '/common/v2.0/.well-known/openid-configuration') return undefined
      const host = `https://${hosts[cloud]}`
      return { issuer: `${host}/{tenantid}/v2.0`, jwks_uri: `${host}/common/discovery/v2.0/keys` }
    }
  }
  const breakDown = (): void => {
    documents = () => undefined
  }

  /** A hint as Entra signs it: it has expired a minute ago. */
  function hint(now: string, { cloud = 'global', claims = {}, header = {}, key }: Sent = {}): Promise<string> {
    const seconds = Math.floor(Date.parse(now) / 1000)
    const tid = String(claims['tid'] ?? tenantId)
    const good = {
      ...{
        iss: `https://${hosts[cloud]}/${tid}/v2.0`,
        aud: appId,
        tid,
        oid: anaOid,
        sub: 'ana-in-this-app',
        ver: '2.0',
      },
      ...{
        iat: seconds - 120,
        exp: seconds - 60,
        preferred_username: 'ana@example.com',
        name: 'Ana',
        uti: randomUUID(),
      },
    }
    return new SignJWT({ ...good, ...claims } as JWTPayload)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: `${cloud}-1`, ...header })
      .sign(key ?? (keys.get(cloud) as GenerateKeyPairResult).privateKey)
  }

  /** The form of a request (Microsoft's reference of external method providers). */
  const formOf = ({ clientId }: Connection, idTokenHint: string, cloud: Cloud = 'global'): Record<string, string> => ({
    ...{ scope: 'openid', response_mode: 'form_post', response_type: 'id_token', client_id: clientId },
    redirect_uri: `https://${hosts[cloud]}/common/federation/externalauthprovider`,
    ...{ nonce: randomBytes(12).toString('base64url'), state: randomBytes(24).toString('base64url') },
    claims: JSON.stringify({
      id_token: { acr: { essential: true, values: acr }, amr: { essential: true, values: amr } },
    }),
    ...{ 'client-request-id': randomUUID(), id_token_hint: idTokenHint, mkt: 'en-US', 'x-unknown': 'ignored' },
  })

  /** A browser that a page of Microsoft's sends here by a form, without cookies of ours. */
  async function send(app: FastifyInstance, { id }: Connection, form: Record<string, string> | string) {
    const browser = signInBrowser(app)
    const headers = { origin: 'https://login.microsoftonline.com', 'content-type': 'application/x-www-form-urlencoded' }
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    const reply = await browser.go(`/signin/entra/${id}/authorize`, { method: 'POST', body, headers })
    return { ...browser, reply, path: reply.headers['location'] ?? '' }
  }

  /** Takes an answer as Entra does, by our published keys; the claims of the token, or the error. */
  async function receive(
    app: FastifyInstance,
    { id, clientId }: Connection,
    text: string,
    sent: Record<string, string>,
  ) {
    const { action, fields } = readForm(text)
    assert.equal(action, sent['redirect_uri'])
    assert.equal(fields['state'], sent['state'])
    if (fields['error'] !== undefined) {
      assert.equal(fields['id_token'], undefined)
      return { error: fields['error'] }
    }
    const get = async (path: string) =>
      (await app.inject({ url: path, headers: { host: new URL(baseUrl).host } })).json() as Record<string, string>
    const metadata = await get(`/signin/entra/${id}/.well-known/openid-configuration`)
    const jwks = (await get(new URL(metadata['jwks_uri'] ?? '').pathname)) as unknown as JSONWebKeySet
    jwks.keys.forEach(holdCertificate)
    const { payload } = await jwtVerify(fields['id_token'] ?? '', createLocalJWKSet(jwks), {
      ...{ issuer: String(metadata['issuer']), audience: clientId, algorithms: ['RS256'] },
      currentDate: new Date(Number(readPayload(fields['id_token'] ?? '').iat) * 1000),
    })
    assert.equal(payload['nonce'], sent['nonce'])
    return { claims: payload }
  }

  return { keys, asked, fetchDocument, heal, breakDown, hint, formOf, send, receive }
}

const readPayload = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload

const readText = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)))

/** The one form of a page, as a browser reads it. */
export function readForm(text: string): { action: string; fields: Record<string, string> } {
  const action = /<form method="post" action="([^"]*)">/.exec(text)?.[1] ?? ''
  const inputs = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  return {
    action: readText(action),
    fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, readText(value)])),
  }
}

/** Entra takes the key from the certificate. */
function holdCertificate(jwk: JSONWebKeySet['keys'][number]): void {
  const der = Buffer.from(jwk.x5c?.[0] ?? '', 'base64')
  const certificate = new X509Certificate(der)
  const { n, e } = certificate.publicKey.export({ format: 'jwk' })
  assert.deepEqual([n, e], [jwk['n'], jwk['e']])
  assert.equal(certificate.verify(certificate.publicKey), true)
  assert.equal(jwk.x5t, createHash('sha1').update(der).digest('base64url'))
}
