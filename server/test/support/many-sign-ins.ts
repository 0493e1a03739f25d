import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { addCompanionKey } from '../../src/agents/companion-keys/add-companion-key.ts'
import { linkCompanion } from '../../src/agents/companion-keys/link-companion.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { heldKeys } from '../../src/keys/held-keys.ts'
import { createConnection } from '../../src/sign-in/connections/create-connection.ts'
import { createUpstream } from '../../src/sign-in/upstreams/create-upstream.ts'
import { visitRoutes } from '../../src/sign-in/visits/routes.ts'
import { baseUrl, type TestApp, testApp } from './app.ts'
import { makeIn } from './make.ts'
import { provingDevice, relyingParty, signInBrowser } from './sign-in-browser.ts'

export type Member = { email: string; deviceId: string; companion: Awaited<ReturnType<typeof provingDevice>> }
export type Caller = {
  rp: Awaited<ReturnType<typeof relyingParty>>
  clientId: string
  basic: string
}

/** The app with the pages of sign-ins, and what it takes to sign people in. Call it at the top level of a file. */
export function manySignIns() {
  const stage: TestApp = testApp({
    addRoutes: (app) =>
      visitRoutes(app, {
        db: stage.db,
        secrets: stage.secrets,
        clock: () => stage.now(),
        baseUrl,
        signingKeys: heldKeys(stage.db, stage.secrets),
        egressSettings: stage.config,
        warn: () => {},
      }),
  })
  const make = makeIn(stage.database)
  const change = () => systemChange(stage.tenant.organizationId, stage.now())

  async function addCaller(): Promise<Caller> {
    const rp = await relyingParty({ now: () => stage.now() })
    const kind = 'second_step' as const
    const wanted = {
      kind,
      mode: 'enforce' as const,
      name: 'Payroll',
      redirectUris: [rp.redirectUri],
      requestKeys: [rp.jwk],
    }
    const made = await transact(stage.db, (tx) => createConnection(tx, stage.secrets, wanted, change()))
    const basic = Buffer.from(`${made.clientId}:${made.clientSecret}`).toString('base64')
    return { rp, clientId: made.clientId, basic }
  }

  /** An application whose people an upstream signs in, which is never asked. Its requests are not signed. */
  async function addApplication(): Promise<Caller> {
    const rp = await relyingParty({ now: () => stage.now() })
    const issuer = 'https://id.example'
    const metadata = { issuer, authorizationEndpoint: `${issuer}/authorize`, endSessionEndpoint: null }
    const upstream = { name: 'Example ID', provider: 'oidc', clientId: 'muster', clientSecret: 'x', metadata } as const
    const made = await transact(stage.db, async (tx) => {
      const { id: upstreamId } = await createUpstream(tx, stage.secrets, upstream, change())
      const kind = 'application' as const
      const wanted = { kind, mode: 'enforce' as const, name: 'Wiki', redirectUris: [rp.redirectUri], upstreamId }
      return createConnection(tx, stage.secrets, wanted, change())
    })
    return { rp, clientId: made.clientId, basic: '' }
  }

  /** A person with a registered device whose companion is linked. */
  async function addMember(name: string): Promise<Member> {
    const { organizationId } = stage.tenant
    const person = await make.person(organizationId, { email: `${name}@example.com` })
    const device = await make.device(organizationId, { name })
    const companion = await provingDevice()
    const { kid, jwk } = companion
    const facts = { isBundled: true, hardwareUuid: null, serial: name, hostname: name, platform: 'linux' }
    await transact(stage.db, async (tx) => {
      const key = { organizationId, kid, jwk: jwk as never, now: stage.now() }
      await addCompanionKey(tx, key, { ...facts, agentVersion: '1' })
      await linkCompanion(tx, { kid, deviceId: device.id }, change())
      await registerDevice(tx, { deviceId: device.id, personId: person.id }, change())
    })
    return { email: `${name}@example.com`, deviceId: device.id, companion }
  }

  async function epochOf({ companion: { kid } }: Member): Promise<string> {
    const keys = stage.db.selectFrom('companion_keys').select('epoch').where('kid', '=', kid)
    return (await keys.executeTakeFirstOrThrow()).epoch
  }

  /** The address of a request for this person. */
  async function requestFor({ rp, clientId }: Caller, email: string): Promise<string> {
    return rp.addressOf(await rp.signedRequest(clientId, { login_hint: email }))
  }

  /** Signs in from the application's request to its callback and token; returns the status of the token's answer. */
  async function signIn(caller: Caller, member: Member, from = '127.0.0.1'): Promise<number> {
    const browser = signInBrowser(stage.app, baseUrl, from)
    const { path, reply } = await browser.follow(await requestFor(caller, member.email))
    if (reply.status !== 200) throw new Error(`The page answered ${reply.status}`)
    const post = (what: string, body = {}) => browser.go(`${path}/${what}`, { method: 'POST', body })
    const { challenge } = JSON.parse((await post('challenge')).text) as { challenge: string }
    const proof = await member.companion.prove(challenge, await epochOf(member))
    const proved = await post('proof', { proof })
    if (proved.status !== 200) throw new Error(`The proof was answered with ${proved.status}: ${proved.text}`)
    const { text } = await browser.go(`${path}/region`)
    const finish = /data-finish="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#47;', '/') ?? ''
    const { away = '' } = await browser.follow(finish)
    const { rp, basic } = caller
    const code = new URL(away).searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, redirect_uri: rp.redirectUri, code_verifier: rp.verifier }
    const token = await stage.app.inject({
      ...{ method: 'POST', url: '/signin/oidc/token', payload: new URLSearchParams(form).toString() },
      headers: {
        host: new URL(baseUrl).host,
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${basic}`,
      },
    })
    return token.statusCode
  }

  return { stage, make, addCaller, addApplication, addMember, requestFor, signIn }
}
