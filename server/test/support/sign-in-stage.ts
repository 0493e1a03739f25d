import { beforeEach } from 'node:test'
import type { Counter } from 'prom-client'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { addCompanionKey } from '../../src/agents/companion-keys/add-companion-key.ts'
import { linkCompanion } from '../../src/agents/companion-keys/link-companion.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { heldKeys } from '../../src/keys/held-keys.ts'
import { createConnection, type NewConnection } from '../../src/sign-in/connections/create-connection.ts'
import { createUpstream } from '../../src/sign-in/upstreams/create-upstream.ts'
import { visitRoutes } from '../../src/sign-in/visits/routes.ts'
import { answerOfProof } from './answer-of-proof.ts'
import { baseUrl, testApp } from './app.ts'
import { makeIn } from './make.ts'
import { provingDevice, relyingParty, signInBrowser } from './sign-in-browser.ts'

type Setting = {
  isRegistered?: boolean
  authState?: 'good' | 'notified' | 'blocked' | 'will_block'
  connection?: Partial<NewConnection>
}

type StageSettings = Pick<Parameters<typeof visitRoutes>[1], 'fetchFromEntra'> & {
  privateIdentityProviders?: readonly string[]
  warn?: (facts: object, text: string) => void
}

/** An app whose sign-in pages are served, with what people and devices do at them. */
export function signInStage({ privateIdentityProviders = [], fetchFromEntra, warn = () => {} }: StageSettings = {}) {
  const counters: Counter<'reason'>[] = []
  const stage: ReturnType<typeof testApp> = testApp({
    addRoutes: (app) => {
      const counted = visitRoutes(app, {
        db: stage.db,
        secrets: stage.secrets,
        clock: () => stage.now(),
        baseUrl,
        signingKeys: heldKeys(stage.db, stage.secrets),
        warn,
        egressSettings: { ...stage.config, privateIdentityProviders },
        fetchFromEntra,
      })
      counters.push(...counted)
    },
  })
  const make = makeIn(stage.database)

  beforeEach(() => stage.reset())

  const change = () => systemChange(stage.tenant.organizationId, stage.now())

  /** A person with a linked device, and an application that they want to get into. */
  async function setUp({ isRegistered = true, authState = 'good', connection: asked }: Setting = {}) {
    const { organizationId } = stage.tenant
    const rp = await relyingParty({ now: () => stage.now() })
    const connection = await transact(stage.db, (tx) =>
      createConnection(
        tx,
        stage.secrets,
        {
          name: 'Payroll',
          mode: 'enforce',
          redirectUris: [rp.redirectUri],
          ...(asked?.upstreamId ? { kind: 'application' } : { kind: 'second_step', requestKeys: [rp.jwk] }),
          ...asked,
        },
        change(),
      ),
    )
    const person = await make.person(organizationId, { email: 'ana@example.com' })
    const device = await make.device(organizationId, { name: 'ana-x1' })
    const companion = await addKey(device.id)
    if (isRegistered) {
      await transact(stage.db, (tx) => registerDevice(tx, { deviceId: device.id, personId: person.id }, change()))
    }
    await stage.db.updateTable('devices').set({ auth_state: authState }).where('id', '=', device.id).execute()
    return { organizationId, rp, connection, person, device, companion }
  }

  /** An upstream that is never asked. */
  async function addStillUpstream(): Promise<string> {
    const issuer = 'https://id.example'
    const metadata = { issuer, authorizationEndpoint: `${issuer}/authorize`, endSessionEndpoint: null }
    const wanted = { name: 'Example ID', provider: 'oidc', clientId: 'muster', clientSecret: 'x', metadata } as const
    return (await transact(stage.db, (tx) => createUpstream(tx, stage.secrets, wanted, change()))).id
  }

  async function addKey(deviceId: string) {
    const { organizationId } = stage.tenant
    const companion = await provingDevice()
    const facts = {
      isBundled: false,
      hardwareUuid: null,
      serial: deviceId,
      hostname: 'x',
      platform: 'linux',
      agentVersion: '1',
    }
    const now = stage.now()
    await transact(stage.db, async (tx) => {
      await addCompanionKey(tx, { organizationId, kid: companion.kid, jwk: companion.jwk as never, now }, facts)
      await linkCompanion(tx, { kid: companion.kid, deviceId }, change())
    })
    return companion
  }

  const epochOf = async (kid: string) =>
    (await stage.db.selectFrom('companion_keys').select('epoch').where('kid', '=', kid).executeTakeFirstOrThrow()).epoch

  /** How many requests began no sign-in, as the metric says. */
  async function countRefused(): Promise<number> {
    const read = await Promise.all(counters.map((counter) => counter.get()))
    return read.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0)
  }

  type SetUp = Awaited<ReturnType<typeof setUp>>

  /** A browser that an application has sent here, on the page of its sign-in. */
  async function arrive({ rp, connection }: SetUp, hint = 'ana@example.com', isSigned = true, extra = {}) {
    const browser = signInBrowser(stage.app)
    const more = { login_hint: hint, ...extra }
    const request = isSigned
      ? await rp.signedRequest(connection.clientId, more)
      : rp.plainRequest(connection.clientId, more)
    const { path, reply } = await browser.follow(rp.addressOf(request))
    const post = (what: string, body: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body })
    const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
    return { ...browser, path, reply, post, challenge }
  }

  /** `tab`: what the page calls the tab that it is in. */
  async function proveIn(
    visit: Awaited<ReturnType<typeof arrive>>,
    { companion }: Pick<SetUp, 'companion'>,
    tab?: string,
  ) {
    const proof = await companion.prove(await visit.challenge(), await epochOf(companion.kid))
    const { status, text } = await visit.post('proof', { proof, tab })
    return { status, ...answerOfProof(text) }
  }

  const finishPath = async (visit: Awaited<ReturnType<typeof arrive>>) =>
    /data-finish="([^"]+)"/.exec((await visit.go(visit.path)).text)?.[1]?.replaceAll('&#47;', '/') ?? ''

  async function tokensOf({ rp, connection }: SetUp, away: string) {
    const code = new URL(away).searchParams.get('code') ?? ''
    const basic = Buffer.from(`${connection.clientId}:${connection.clientSecret}`).toString('base64')
    const response = await stage.app.inject({
      method: 'POST',
      url: '/signin/oidc/token',
      headers: {
        host: new URL(baseUrl).host,
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${basic}`,
      },
      payload: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, redirect_uri: rp.redirectUri, code_verifier: rp.verifier },
      }).toString(),
    })
    return { status: response.statusCode, body: response.json() as Record<string, string> }
  }

  return {
    stage,
    make,
    change,
    setUp,
    countRefused,
    addKey,
    addStillUpstream,
    epochOf,
    arrive,
    proveIn,
    finishPath,
    tokensOf,
  }
}
