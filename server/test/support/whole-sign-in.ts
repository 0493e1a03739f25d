import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { buildApp } from '../../src/app.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import { createConnection, type NewConnection } from '../../src/sign-in/connections/create-connection.ts'
import { testAgents } from './agent-server.ts'
import { answerOfProof } from './answer-of-proof.ts'
import { baseUrl } from './app.ts'
import { companionClient, companionMachine } from './companion-client.ts'
import { reportLinkFiles } from './link-report.ts'
import { makeIn } from './make.ts'
import { provingDevice, relyingParty, signInBrowser } from './sign-in-browser.ts'

type Machine = { uuid: string; serial: string }
type Browser = ReturnType<typeof signInBrowser>

/** What a sign-in that fails must leave as it was. */
const tablesOfRecord = [
  ...(['auth_logs', 'auth_log_open_sessions', 'person_identities', 'registration_requests'] as const),
  ...(['exemption_requests', 'events', 'companion_keys'] as const),
]

export const anaMachine: Machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }
export const benMachine: Machine = { uuid: '4C4C4544-0042-3510-8056-0000000000BE', serial: 'PF0000BE' }

/**
 * The whole server with its agents on a port of its own: Ana and Ben, a device of hers and the companion on it, and an
 * application whose requests are signed. Call it at the top level.
 */
export function wholeSignIn() {
  const agents = testAgents()
  const { database } = agents
  const make = makeIn(database)
  let app: FastifyInstance | undefined
  let address = ''
  const current = () => {
    if (!app) throw new Error('The app starts in a before hook')
    return app
  }
  before(async () => {
    await agents.ready
    const { connection } = database
    const config = loadConfig({
      MUSTER_BASE_URL: baseUrl,
      MUSTER_RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'silent',
    })
    app = buildApp({
      ...{ config, connection, secrets: agents.secrets, clock: () => agents.now(), log: createLogger('silent') },
      agents: agents.context,
    })
    address = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(() => app?.close())
  beforeEach(() => agents.reset())

  const change = (organizationId: string) => systemChange(organizationId, agents.now())

  const addConnection = async (organizationId: string, given: Partial<NewConnection> = {}) => {
    const rp = await relyingParty({ now: () => agents.now() })
    const kind = 'second_step' as const
    const wanted = {
      kind,
      mode: 'enforce' as const,
      name: 'Payroll',
      redirectUris: [rp.redirectUri],
      requestKeys: [rp.jwk],
      ...given,
    }
    return {
      rp,
      connection: await transact(database.db, (tx) =>
        createConnection(tx, agents.secrets, wanted, change(organizationId)),
      ),
    }
  }

  /** The companion of a machine, linked by its osquery node, that proves itself as the agent does. */
  async function addCompanion(organizationId: string, { uuid, serial }: Machine, isLinked = true) {
    const secret = await agents.enrollmentSecret(organizationId)
    const { client, deviceId } = await agents.enrolled(organizationId, { uuid, serial })
    const companion = await companionClient(address)
    const { body } = await companion.enroll(secret, { hardware_uuid: uuid, hardware_serial: serial })
    const link = async (name = body.link?.name) => {
      agents.pass(20)
      await reportLinkFiles(client, [name ?? ''])
    }
    if (isLinked) await link()
    const { prove } = await provingDevice(companion.keys)
    return { client, deviceId, secret, companion, link, prove: proveWith(prove, companion) }
  }

  const proveWith =
    (
      prove: Awaited<ReturnType<typeof provingDevice>>['prove'],
      companion: Awaited<ReturnType<typeof companionClient>>,
    ) =>
    (challenge: string, more?: object, header?: object) =>
      prove(challenge, companion.epoch() ?? '', more, header)

  type SetUp = { isRegistered?: boolean; connection?: Partial<NewConnection> }

  async function setUp({ isRegistered = true, connection: given }: SetUp = {}) {
    const { id: organizationId } = await make.organization()
    const { rp, connection } = await addConnection(organizationId, given)
    const ana = await make.person(organizationId, { name: 'Ana Ruiz', email: 'ana@example.com' })
    const ben = await make.person(organizationId, { name: 'Ben Okafor', email: 'ben@example.com' })
    const laptop = await addCompanion(organizationId, anaMachine)
    if (isRegistered) {
      await transact(database.db, (tx) =>
        registerDevice(tx, { deviceId: laptop.deviceId, personId: ana.id }, change(organizationId)),
      )
    }
    return { organizationId, rp, connection, ana, ben, laptop }
  }

  type Requester = Pick<Awaited<ReturnType<typeof setUp>>, 'rp' | 'connection'>

  /** A browser on the page of a sign-in that the application has begun for this person. */
  async function arrive({ rp, connection }: Requester, hint = 'ana@example.com', browser: Browser = newBrowser()) {
    const request = await rp.signedRequest(connection.clientId, { login_hint: hint })
    return onPage(browser, rp.addressOf(request))
  }

  async function onPage(browser: Browser, path: string) {
    const arrived = await browser.follow(path)
    assert.match(arrived.path, /^\/signin\/[0-9a-f]{24}$/, arrived.reply.text)
    const post = (what: string, body: object = {}) => browser.go(`${arrived.path}/${what}`, { method: 'POST', body })
    const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge
    const prove = async (proof: string) => {
      const { status, text } = await post('proof', { proof })
      return { status, ...answerOfProof(text) }
    }
    const finishPath = async () =>
      /data-finish="([^"]+)"/.exec((await browser.go(arrived.path)).text)?.[1]?.replaceAll('&#47;', '/')
    return { browser, ...arrived, id: arrived.path.split('/').at(-1) ?? '', post, challenge, prove, finishPath }
  }

  const newBrowser = () => signInBrowser(current())

  /** What was written of people, devices and their sign-ins so far. */
  async function record() {
    const counts = await Promise.all(
      tablesOfRecord.map(async (table) => {
        const { count } = await database.db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .executeTakeFirstOrThrow()
        return [table, Number(count)] as const
      }),
    )
    // That a proof was refused is in the log of its own sign-in, and changes nothing.
    const steps = await database.db
      .selectFrom('auth_log_events')
      .select(['auth_log_id', 'type'])
      .where('type', '<>', 'agent_detection_failure')
      .orderBy('auth_log_id')
      .orderBy('position')
      .execute()
    const owners = await database.db
      .selectFrom('devices')
      .select(['id', 'registered_owner_id', 'registration_suspended_at'])
      .orderBy('id')
      .execute()
    const answered = await database.db
      .selectFrom('signin_sessions')
      .select('id')
      .where('answered_at', 'is not', null)
      .execute()
    return { counts: Object.fromEntries(counts), steps, owners, answered: answered.length }
  }

  /** Asks for tokens as the application does. */
  async function tokensOf(
    { rp, connection }: Requester,
    code: string,
    more: Record<string, string> = {},
    credentials = `${connection.clientId}:${connection.clientSecret}`,
  ) {
    const response = await current().inject({
      method: 'POST',
      url: '/signin/oidc/token',
      headers: {
        host: new URL(baseUrl).host,
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      payload: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, redirect_uri: rp.redirectUri, code_verifier: rp.verifier },
        ...more,
      }).toString(),
    })
    return { status: response.statusCode, body: response.json() as Record<string, string> }
  }

  return {
    ...{
      agents,
      database,
      make,
      change,
      addConnection,
      addCompanion,
      setUp,
      arrive,
      onPage,
      newBrowser,
      record,
      tokensOf,
    },
    get app() {
      return current()
    },
    get address() {
      return address
    },
  }
}
