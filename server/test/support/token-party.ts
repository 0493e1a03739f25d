import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createLink } from '../../src/access/sessions/create-link.ts'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { createEnrollmentSecret } from '../../src/agents/protocol/create-enrollment-secret.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { type Tx, transact } from '../../src/base/db/transact.ts'
import { createConnection } from '../../src/sign-in/connections/create-connection.ts'
import { createEntraConnection } from '../../src/sign-in/connections/create-entra-connection.ts'
import { createUpstream } from '../../src/sign-in/upstreams/create-upstream.ts'
import type { TestApp } from './app.ts'
import { companionClient, companionMachine } from './companion-client.ts'
import { addAdmin } from './console.ts'
import { type entraStandIn, tenantId } from './entra-stand-in.ts'
import { reportLinkFiles } from './link-report.ts'
import { makeIn } from './make.ts'
import { osqueryClient } from './osquery-client.ts'
import { provingDevice, relyingParty, signInBrowser } from './sign-in-browser.ts'

type Client = { id: string; clientId: string; clientSecret?: string | undefined }
export type Party = Awaited<ReturnType<typeof addParty>>
export type Visit = Awaited<ReturnType<Party['visit']>>
type Entra = ReturnType<typeof entraStandIn>
type Place = { app: TestApp; entra: Entra; address: string }

/**
 * An organization with everything that its doors ask for: callers and an upstream, an administrator, a stream, a webhook
 * endpoint, and Ana with her laptop.
 */
export async function addParty({ app, entra, address }: Place, name: string) {
  const make = makeIn(app)
  const tenant = await app.addTenant(name)
  const { organizationId } = tenant
  const origin = `https://organization-${organizationId}.muster.test`
  const host = new URL(origin).host
  const change = () => systemChange(organizationId, app.now())
  const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => transact(app.db, work)
  const pass = (seconds: number) => app.setNow(new Date(Date.parse(app.now()) + seconds * 1_000).toISOString())

  const appId = randomUUID()
  const rp = await relyingParty({ issuer: origin, now: () => app.now() })
  const person = await make.person(organizationId, { email: 'ana@example.com' })
  const callers = await inTransaction((tx) => addCallers(tx, { app, rp, appId }, change()))
  const administrator = await addAdmin(app, { organizationId, email: `admin@${name.toLowerCase()}.example` })
  const create = async (path: string, body: object) =>
    (await app.ask('POST', path, { headers: { host }, key: tenant.key, body })).body as Record<string, string>
  const hooked = { url: 'https://receiver.example.com/hooks', events: ['auth_logs.success'] }
  const hook = await create('/webhook_endpoints', hooked)
  const stream = await create('/ssf_streams', { name: 'Receiver' })

  const enrollmentSecret = () =>
    inTransaction(async (tx) => (await createEnrollmentSecret(tx, app.secrets, { name: 'All' }, change())).secret)
  const [node, companion] = [osqueryClient(address), await companionClient(address)]
  const secret = await enrollmentSecret()
  const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }
  assert.ok((await node.enroll(secret, machine)).accepted)
  const { body: enrolled } = await companion.enroll(secret)
  pass(20)
  assert.ok(await reportLinkFiles(node, [enrolled.link?.name ?? '']))
  const { device_id: deviceId } = await app.db
    .selectFrom('companion_keys')
    .select('device_id')
    .where('kid', '=', companion.kid)
    .executeTakeFirstOrThrow()
  await inTransaction((tx) => registerDevice(tx, { deviceId: deviceId ?? '', personId: person.id }, change()))
  const device = await provingDevice(companion.keys)

  const newBrowser = () => signInBrowser(app.app, origin)

  /** A sign-in of Ana's that one of the callers has begun. */
  async function visit(caller: 'ofCaller' | 'ofEntra' = 'ofCaller') {
    // Four answers within two minutes are a loop, and codes and challenges are good for one.
    pass(40)
    const browser = newBrowser()
    const path = await (caller === 'ofEntra' ? beginByEntra(browser) : beginByCaller(browser))
    const post = (what: string, body: object = {}) => browser.go(`${path}/${what}`, { method: 'POST', body })
    const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
    const proof = async () => device.prove(await challenge(), companion.epoch() ?? '')
    async function finish() {
      assert.equal((await post('proof', { proof: await proof() })).status, 200)
      const { text } = await browser.go(`${path}/region`)
      return browser.follow(/data-finish="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#47;', '/') ?? '')
    }
    const id = path.split('/').at(-1) ?? ''
    return { browser, path, id, cookie: `__Host-muster-si-${id.slice(0, 8)}`, post, challenge, proof, finish }
  }

  const requestObject = async () =>
    (await rp.signedRequest(callers.caller.clientId, { login_hint: person.email })).request ?? ''

  async function beginByCaller(browser: ReturnType<typeof newBrowser>): Promise<string> {
    const request = { client_id: callers.caller.clientId, request: await requestObject() }
    return (await browser.follow(rp.addressOf(request))).path
  }

  const hint = () => entra.hint(app.now(), { claims: { aud: appId } })

  /** Asks the door of Entra with a hint of Microsoft's or with something else. */
  async function askByEntra(browser: ReturnType<typeof newBrowser>, hint: string) {
    const body = new URLSearchParams(entra.formOf(callers.entra, hint)).toString()
    const headers = { origin: 'https://login.microsoftonline.com', 'content-type': 'application/x-www-form-urlencoded' }
    return browser.go(`/signin/entra/${callers.entra.id}/authorize`, { method: 'POST', body, headers })
  }

  async function beginByEntra(browser: ReturnType<typeof newBrowser>): Promise<string> {
    const reply = await askByEntra(browser, await hint())
    return reply.headers['location'] ?? assert.fail(reply.text)
  }

  /** A sign-in that waits for its upstream: the state that its browser was sent there with. */
  async function leave() {
    const browser = newBrowser()
    const { away = '' } = await browser.follow(rp.addressOf(rp.plainRequest(callers.application.clientId)))
    const state = new URL(away).searchParams.get('state') ?? ''
    return { browser, state, cookie: `__Host-muster-si-${state.slice(0, 8)}` }
  }

  async function consoleLink(): Promise<string> {
    const wanted = { organizationId, purpose: 'invite', adminUserId: administrator.id } as const
    const made = await inTransaction((tx) =>
      createLink(tx, app.secrets, { ...wanted, baseUrl: origin, now: app.now() }),
    )
    return new URL(made.url).hash.slice(1)
  }

  const parts = { administrator, callers, companion, hook, node, person, rp, stream }
  const ways = {
    askByEntra,
    change,
    consoleLink,
    enrollmentSecret,
    hint,
    inTransaction,
    leave,
    newBrowser,
    pass,
    visit,
  }
  const linkName = enrolled.link?.name ?? ''
  return { name, organizationId, tenant, origin, host, linkName, requestObject, ...parts, ...ways }
}

/** Where the applications of a party lead people back to from signing out. */
export const signedOut = 'https://app.example/signed-out'

type RelyingParty = Awaited<ReturnType<typeof relyingParty>>

type Called = { app: TestApp; rp: RelyingParty; appId: string }

async function addCallers(tx: Tx, { app: { secrets }, rp, appId }: Called, change: ReturnType<typeof systemChange>) {
  const issuer = 'https://id.example'
  const metadata = { issuer, authorizationEndpoint: `${issuer}/authorize`, endSessionEndpoint: `${issuer}/out` }
  const client = { clientId: 'muster', clientSecret: 'x', signsOut: true }
  const upstream = { name: 'Example ID', provider: 'oidc', ...client, metadata } as const
  const { id: upstreamId } = await createUpstream(tx, secrets, upstream, change)
  const redirectUris = [rp.redirectUri]
  const add = (wanted: Omit<Parameters<typeof createConnection>[2], 'redirectUris'>): Promise<Client> =>
    createConnection(
      tx,
      secrets,
      { mode: 'enforce', ...wanted, redirectUris, postLogoutRedirectUris: [signedOut] },
      change,
    )
  const ofEntra = {
    name: 'Microsoft 365',
    cloud: 'global' as const,
    tenantIds: [tenantId],
    appId,
    mode: 'enforce' as const,
  }
  return {
    caller: await add({ kind: 'second_step', name: 'Payroll', requestKeys: [rp.jwk] }),
    application: await add({ kind: 'application', name: 'Wiki', upstreamId }),
    entra: await createEntraConnection(tx, ofEntra, change),
  }
}
