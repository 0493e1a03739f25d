import assert from 'node:assert/strict'
import { after, beforeEach } from 'node:test'
import { brokerStage } from './broker-stage.ts'
import { json, startHostileProvider } from './hostile-provider.ts'

/** Claims of an upstream that is never at fault. */
type Said = Readonly<Record<string, unknown>>

const ana = { sub: 'ana-7', email: 'ana@example.com', email_verified: true }

/** Ana's sign-ins at an application whose upstream says of her what a test wants, from the request to the claims. */
export async function honestUpstream() {
  const here = brokerStage()
  const provider = await startHostileProvider()
  after(() => provider.stop())
  beforeEach(() => provider.reset())

  type Set = Awaited<ReturnType<typeof here.setUp>>
  type Visit = Awaited<ReturnType<typeof here.leave>>

  /** The browser comes back from the upstream, proves its device, and goes on to the application. Returns where that is. */
  async function pass(set: Set, visit: Visit, said: Said = {}): Promise<string> {
    const idToken = await provider.sign({ ...ana, nonce: visit.nonce, ...said })
    provider.endpoints.set(
      '/token',
      json({ access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: idToken }),
    )
    const back = new URLSearchParams({ code: 'c', state: visit.state, iss: provider.issuer })
    await visit.follow(`/signin/upstream/return?${back}`)
    assert.deepEqual(await here.proveIn(visit, set), { status: 200, state: 'passed' })
    return here.finishPath(visit as never)
  }

  /** What the application learns of a request, by the claims of the ID token and of the userinfo endpoint. */
  async function claimsFor(set: Set, asked: Record<string, string>, said: Said = {}) {
    const visit = await here.leave(set, asked)
    const { away = '' } = await visit.follow(await pass(set, visit, said))
    const { status, body } = await here.tokensOf(set, away)
    assert.equal(status, 200, JSON.stringify(body))
    return { idToken: payloadOf(body['id_token']), userinfo: await userinfoOf(body['access_token']), body }
  }

  async function userinfoOf(token = ''): Promise<Record<string, unknown>> {
    const reply = await here.stage.app.inject({
      url: '/signin/oidc/me',
      headers: { host: 'muster.test', authorization: `Bearer ${token}` },
    })
    assert.equal(reply.statusCode, 200, reply.payload)
    return reply.json() as Record<string, unknown>
  }

  return { ...here, provider, setUp: (more = {}) => here.setUp(provider.issuer, {}, more), pass, claimsFor, userinfoOf }
}

export const payloadOf = (token = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
