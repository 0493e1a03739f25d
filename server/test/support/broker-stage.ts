import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { transact } from '../../src/base/db/transact.ts'
import type { NewConnection } from '../../src/sign-in/connections/create-connection.ts'
import { upstreamEgress } from '../../src/sign-in/egress/upstream-egress.ts'
import { createUpstream, type NewUpstream } from '../../src/sign-in/upstreams/create-upstream.ts'
import { readMetadata } from '../../src/sign-in/upstreams/read-metadata.ts'
import { signInBrowser } from './sign-in-browser.ts'
import { signInStage } from './sign-in-stage.ts'

type SetUp = Awaited<ReturnType<ReturnType<typeof signInStage>['setUp']>>

/** What the operator lists: an upstream of a test is on this machine. */
const privateIdentityProviders = ['127.0.0.1']
export const upstreamReturn = 'https://muster.test/signin/upstream/return'

/** People who sign in at an upstream first, by the system's clock. */
export function brokerStage() {
  const warned: object[] = []
  const here = signInStage({ privateIdentityProviders, warn: (facts) => void warned.push(facts) })
  const { stage } = here
  beforeEach(() => {
    warned.length = 0
    stage.setNow(systemClock())
  })

  async function addUpstream(issuer: string, given: Partial<NewUpstream> = {}): Promise<string> {
    const client = { clientId: 'muster', clientSecret: 'the-secret-of-the-client' }
    const egress = upstreamEgress({ ...stage.config, privateIdentityProviders })
    const metadata = await readMetadata(egress, { provider: 'oidc', issuer, ...client })
    const wanted = { name: 'Example ID', provider: 'oidc', ...client, metadata, ...given } as const
    const { id } = await transact(stage.db, (tx) => createUpstream(tx, stage.secrets, wanted, here.change()))
    return id
  }

  /** Ana with her laptop, and an application whose people sign in at an upstream. */
  async function setUp(issuer: string, given: Partial<NewUpstream> = {}, connection: Partial<NewConnection> = {}) {
    const upstreamId = await addUpstream(issuer, given)
    const set = await here.setUp({ connection: { upstreamId, ...connection } })
    return { ...set, upstreamId }
  }

  /** A browser that the application has sent here, and that is sent on to the upstream. */
  async function leave({ rp, connection }: Pick<SetUp, 'rp' | 'connection'>, more: Record<string, string> = {}) {
    const browser = signInBrowser(stage.app)
    const { away = '', reply } = await browser.follow(rp.addressOf(rp.plainRequest(connection.clientId, more)))
    assert.ok(away, reply.text)
    const asked = new URL(away).searchParams
    const state = asked.get('state') ?? ''
    const path = `/signin/${state.split('.')[0]}`
    const post = (what: string, body: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body })
    const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
    return { ...browser, away, asked, state, nonce: asked.get('nonce') ?? '', path, reply, post, challenge }
  }

  const sessionOf = (path: string) =>
    stage.db.selectFrom('signin_sessions').selectAll().where('id', '=', path.slice(8)).executeTakeFirstOrThrow()

  return { ...here, addUpstream, setUp, leave, sessionOf, warned }
}
