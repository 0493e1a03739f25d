import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { baseUrl } from '../../../test/support/app.ts'
import { honestUpstream, payloadOf } from '../../../test/support/honest-upstream.ts'
import { transact } from '../../base/db/transact.ts'
import { changeConnection } from '../connections/change-connection.ts'
import { createConnection, type NewConnection } from '../connections/create-connection.ts'

const { stage, make, change, setUp, leave, pass, claimsFor } = await honestUpstream()

type Set = Awaited<ReturnType<typeof setUp>>
type Lists =
  | 'response_modes'
  | 'token_endpoint_auth_methods'
  | 'request_object_signing_alg_values'
  | 'claims'
  | 'scopes'
type Document = Record<`${Lists | 'id_token_signing_alg_values'}_supported`, string[]>

const host = new URL(baseUrl).host

async function discover(): Promise<Document> {
  const reply = await stage.app.inject({ url: '/signin/oidc/.well-known/openid-configuration', headers: { host } })
  return reply.json() as Document
}

/** Another application of the same upstream. */
function connect({ rp, upstreamId }: Set, more: Partial<NewConnection>) {
  const wanted: NewConnection = { name: 'Wiki', kind: 'application', redirectUris: [rp.redirectUri], upstreamId }
  return transact(stage.db, (tx) =>
    createConnection(tx, stage.secrets, { ...wanted, mode: 'enforce', ...more }, change()),
  )
}

/** Where a code went, and the code: in an address, or in a form of the page. */
async function answerTo(set: Set, asked: Record<string, string> = {}) {
  const visit = await leave(set, asked)
  const { away, reply } = await visit.follow(await pass(set, visit))
  const code = away === undefined ? /name="code" value="([^"]+)"/.exec(reply.text)?.[1] : undefined
  return {
    away,
    action: /action="([^"]+)"/.exec(reply.text)?.[1],
    code: code ?? new URL(away ?? '').searchParams.get('code'),
  }
}

async function redeem({ rp, connection }: Set, code: unknown, method: string) {
  const { clientId, clientSecret = '' } = connection
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const own: Record<string, Record<string, string>> = {
    client_secret_basic: {},
    client_secret_post: { client_id: clientId, client_secret: clientSecret },
    none: { client_id: clientId },
  }
  const reply = await stage.app.inject({
    method: 'POST',
    url: '/signin/oidc/token',
    headers: {
      ...{ host, 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'client_secret_basic' && { authorization: `Basic ${basic}` }),
    },
    payload: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: String(code), redirect_uri: rp.redirectUri },
      ...{ code_verifier: rp.verifier, ...own[method] },
    }).toString(),
  })
  return { status: reply.statusCode, body: reply.json() as Record<string, string> }
}

test('the document names what there is, and nothing else', async () => {
  await setUp()
  const document = await discover()
  const listed = Object.entries(document).filter(([name]) => name.endsWith('_supported'))
  assert.deepEqual(Object.fromEntries(listed), {
    claim_types_supported: ['normal'],
    acr_values_supported: ['urn:muster:device:compliant', 'urn:muster:device:known', 'urn:muster:none'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    claims_supported: [
      ...['sub', 'acr', 'amr', 'device_context', 'upstream_acr', 'email', 'email_verified', 'name'],
      ...['preferred_username', 'given_name', 'family_name', 'groups', 'auth_time', 'iss'],
    ],
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code'],
    id_token_signing_alg_values_supported: ['RS256'],
    request_object_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    response_modes_supported: ['query', 'form_post'],
    response_types_supported: ['code'],
    scopes_supported: ['openid', 'email', 'profile', 'groups'],
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  })
})

test('each response mode that is listed brings a code to the application, and no other does', async () => {
  const set = await setUp()
  const { response_modes_supported: modes } = await discover()
  for (const mode of modes) {
    const { away, action, code } = await answerTo(set, { response_mode: mode })
    assert.ok((away ?? action)?.startsWith(set.rp.redirectUri), mode)
    assert.equal((await redeem(set, code, 'client_secret_basic')).status, 200, mode)
  }
  for (const mode of ['fragment', 'jwt', 'web_message']) {
    const address = set.rp.addressOf(set.rp.plainRequest(set.connection.clientId, { response_mode: mode }))
    const reply = await stage.app.inject({ url: address, headers: { host } })
    assert.match(`${reply.headers.location} ${reply.payload}`, /response_mode/, mode)
  }
})

test('each way to authenticate at the token endpoint that is listed is one', async () => {
  const set = await setUp()
  const { token_endpoint_auth_methods_supported: methods } = await discover()
  for (const method of methods) {
    const isPublic = method === 'none'
    const one = isPublic ? { ...set, connection: await connect(set, { isPublic }) } : set
    const { status, body } = await redeem(one, (await answerTo(one)).code, method)
    assert.equal(status, 200, `${method}: ${JSON.stringify(body)}`)
  }
})

test('each algorithm of request objects that is listed signs one, and the ID token has the one that is listed', async () => {
  const stand = await setUp()
  const { request_object_signing_alg_values_supported: algorithms, id_token_signing_alg_values_supported: ofTokens } =
    await discover()
  for (const alg of algorithms) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), alg } as unknown as Record<string, string>
    const connection = await connect(stand, { requestKeys: [jwk] })
    const set = { ...stand, connection }
    const { clientId } = connection
    const plain = set.rp.plainRequest(clientId)
    const request = await new SignJWT(plain)
      .setProtectedHeader({ alg })
      .setIssuer(clientId)
      .setAudience(`${baseUrl}/signin/oidc`)
      .setIssuedAt(new Date(stage.now()))
      .sign(privateKey)
    const { code } = await answerTo({
      ...set,
      rp: { ...set.rp, plainRequest: () => ({ client_id: clientId, request }) },
    })
    const { status, body } = await redeem(set, code, 'client_secret_basic')
    assert.equal(status, 200, alg)
    const header = JSON.parse(Buffer.from((body['id_token'] ?? '').split('.')[0] ?? '', 'base64url').toString())
    assert.deepEqual([header.alg], ofTokens)
    assert.equal(typeof payloadOf(body['id_token'])['sub'], 'string')
  }
})

test('each claim that is listed comes, in the ID token and from the userinfo endpoint', async () => {
  const set = await setUp()
  const { claims_supported: claims, scopes_supported: scopes } = await discover()
  const { id } = await make.personGroup(set.organizationId, { name: 'Finance', personIds: [set.person.id] })
  await transact(stage.db, (tx) => changeConnection(tx, { id: set.connection.id, groupIds: [id] }, change()))
  const asked = Object.fromEntries(claims.map((claim) => [claim, null]))
  const said = { acr: 'pwd', name: 'Ana Ruiz', given_name: 'Ana', family_name: 'Ruiz', preferred_username: 'ana' }
  for (const how of [
    { scope: 'openid', claims: JSON.stringify({ id_token: asked, userinfo: asked }) },
    { scope: scopes.join(' '), max_age: '3600' },
  ]) {
    const { idToken, userinfo } = await claimsFor(set, how, { ...said, auth_time: Math.floor(Date.now() / 1000) })
    assert.deepEqual(
      claims.filter((claim) => !(claim in idToken)),
      [],
      how.scope,
    )
    const ofToken = ['auth_time', 'iss', ...('claims' in how ? [] : ['acr', 'amr', 'device_context', 'upstream_acr'])]
    assert.deepEqual(
      claims.filter((claim) => !(claim in userinfo)),
      claims.filter((claim) => ofToken.includes(claim)),
      how.scope,
    )
  }
})
