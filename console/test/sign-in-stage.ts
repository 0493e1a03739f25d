import { createServer as createSite } from 'node:http'
import { createServer } from 'node:net'
import { after, before } from 'node:test'
import { openLoopback } from '@muster/agent/companion/loopback.ts'
import { nothingTold } from '@muster/agent/companion/who-asks.ts'
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { registerDevice } from '../../server/src/administration/registrations/register-device.ts'
import { addCompanionKey } from '../../server/src/agents/companion-keys/add-companion-key.ts'
import { linkCompanion } from '../../server/src/agents/companion-keys/link-companion.ts'
import { systemChange } from '../../server/src/base/change-context.ts'
import { transact } from '../../server/src/base/db/transact.ts'
import { heldKeys } from '../../server/src/keys/held-keys.ts'
import { createConnection } from '../../server/src/sign-in/connections/create-connection.ts'
import { visitRoutes } from '../../server/src/sign-in/visits/routes.ts'
import { testApp } from '../../server/test/support/app.ts'
import { makeIn } from '../../server/test/support/make.ts'
import { provingDevice, relyingParty } from '../../server/test/support/sign-in-browser.ts'
import { deadlineMs, lackOfBrowser, launchBrowser } from './browser.ts'

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })

const port = await freePort()
const agentPorts = [await freePort(), await freePort(), await freePort()]
const origin = `http://localhost:${port}`
const appPort = await freePort()
const appOrigin = `http://127.0.0.1:${appPort}`

export type Permission = 'granted' | 'denied' | 'prompt'
type Setting = {
  isRegistered?: boolean
  mode?: 'enforce' | 'observe'
  permission?: Permission
  applicationName?: string
  deviceName?: string
  browser?: BrowserContextOptions
}
type Device = Awaited<ReturnType<typeof provingDevice>>

/** A server with the page of sign-ins on loopback, and a browser that takes it for a public site. Call it at the top level. */
export function signInStage() {
  const faultsOfServer: string[] = []
  const stage: ReturnType<typeof testApp> = testApp({
    env: { MUSTER_BASE_URL: origin },
    addRoutes: (app) =>
      visitRoutes(app, {
        db: stage.db,
        secrets: stage.secrets,
        clock: () => stage.now(),
        baseUrl: origin,
        signingKeys: heldKeys(stage.db, stage.secrets),
        ports: agentPorts,
        egressSettings: stage.config,
        warn: (facts, text) => faultsOfServer.push(`${text} ${JSON.stringify(facts)}`),
      }),
  })
  const make = makeIn(stage.database)
  const agents: { close: () => Promise<void> }[] = []
  let browser: Browser | undefined
  let whole: CDPSession | undefined
  let isListening = false
  const contexts: BrowserContext[] = []

  before(async () => {
    if (lackOfBrowser !== false) return
    // A page of loopback itself would be asked nothing.
    browser = await launchBrowser([`--ip-address-space-overrides=127.0.0.1:${port}=public,[::1]:${port}=public`])
  })
  const site = createSite((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Payroll</title><h1>Payroll is open</h1>')
  })
  before(() => new Promise<void>((resolve) => site.listen(appPort, '127.0.0.1', resolve)))
  after(async () => {
    await browser?.close()
    site.close()
    await stopAgents()
  })

  const change = () => systemChange(stage.tenant.organizationId, stage.now())
  const stopAgents = async () => {
    for (const agent of agents.splice(0)) await agent.close()
  }

  /** Everything new: a person with a linked device, an application, and a browser with a permission. */
  async function setUp(setting: Setting = {}) {
    for (const context of contexts.splice(0)) await context.close()
    await stopAgents()
    await stage.reset()
    stage.setNow(new Date().toISOString())
    if (!isListening) await stage.app.listen({ host: '127.0.0.1', port })
    isListening = true
    const { isRegistered = true, mode = 'enforce', permission = 'granted' } = setting
    const { organizationId } = stage.tenant
    const rp = await relyingParty({ issuer: origin })
    const connection = await transact(stage.db, (tx) =>
      createConnection(
        tx,
        stage.secrets,
        {
          kind: 'second_step',
          mode,
          name: setting.applicationName ?? 'Payroll',
          redirectUris: [`${appOrigin}/callback`],
          startUrl: `${appOrigin}/start`,
          requestKeys: [rp.jwk],
        },
        change(),
      ),
    )
    const person = await make.person(organizationId, { name: 'Ana Ruiz', email: 'ana@example.com' })
    const device = await make.device(organizationId, {
      name: setting.deviceName ?? 'ana-x1',
      device_type: 'Linux',
      operating_system: 'Debian GNU/Linux 12',
      serial: 'PF-9LMD',
    })
    if (isRegistered) {
      await transact(stage.db, (tx) => registerDevice(tx, { deviceId: device.id, personId: person.id }, change()))
    }
    const key = await addKey(device.id)
    const opened = await openBrowser(permission, setting.browser)
    const arrive = async (hint = person.email) => {
      const more = { login_hint: hint, redirect_uri: `${appOrigin}/callback` }
      const { clientId } = connection
      await opened.page.goto(origin + rp.addressOf(await rp.signedRequest(clientId, more)))
    }
    return { ...opened, organizationId, connection, person, device, key, arrive, rp }
  }

  async function addKey(deviceId: string): Promise<Device> {
    const { organizationId } = stage.tenant
    const key = await provingDevice()
    const facts = { isBundled: false, hardwareUuid: null, hostname: 'x', platform: 'linux', agentVersion: '1' }
    const now = stage.now()
    await transact(stage.db, async (tx) => {
      const added = { organizationId, kid: key.kid, jwk: key.jwk as never, now }
      await addCompanionKey(tx, added, { ...facts, serial: deviceId })
      await linkCompanion(tx, { kid: key.kid, deviceId }, change())
    })
    return key
  }

  /** The loopback side of the agent, with the key of a device, at the first free port; a broken one proves nothing. */
  async function startAgent(key: Device, { isBroken = false, from = 0 } = {}): Promise<{ stop: () => Promise<void> }> {
    const agent = await openLoopback(agentPorts.slice(from), {
      origin: () => origin,
      wake: () => {},
      whoAsks: nothingTold,
      prove: async ({ challenge, via }) => {
        if (isBroken) return { refused: 'unknown_key' }
        const found = await stage.db
          .selectFrom('companion_keys')
          .select('epoch')
          .where('kid', '=', key.kid)
          .executeTakeFirstOrThrow()
        return { proof: await key.prove(challenge, found.epoch, { via }) }
      },
    })
    if (!agent) throw new Error('No port is free')
    agents.push(agent)
    const stop = async () => {
      agents.splice(agents.indexOf(agent), 1)
      await agent.close()
    }
    return { stop }
  }

  async function openBrowser(permission: Permission, options: BrowserContextOptions = {}) {
    if (!browser) throw new Error('There is no browser')
    const viewport = { width: 1120, height: 800 }
    const context = await browser.newContext({ viewport, timezoneId: 'America/New_York', ...options })
    contexts.push(context)
    context.setDefaultTimeout(deadlineMs)
    const page = await context.newPage()
    const faults: string[] = []
    const asked: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text())
    })
    page.on('request', (request) => {
      if (agentPorts.some((one) => request.url().startsWith(`http://127.0.0.1:${one}`))) asked.push(request.url())
    })
    const setPermission = (setting: Permission) => allow(page, setting)
    await setPermission(permission)
    return { context, page, faults, asked, setPermission }
  }

  async function allow(page: Page, setting: Permission): Promise<void> {
    // What a session has set ends with it.
    whole ??= await (browser as Browser).newBrowserCDPSession()
    const client = await page.context().newCDPSession(page)
    const { targetInfo } = await client.send('Target.getTargetInfo')
    const { targetInfos } = await whole.send('Target.getTargets')
    const { browserContextId } = targetInfos.find(({ targetId }) => targetId === targetInfo.targetId) ?? {}
    await whole.send('Browser.setPermission', {
      permission: { name: 'loopback-network' },
      setting,
      origin,
      ...(browserContextId !== undefined && { browserContextId }),
    })
    await client.detach()
  }

  return { stage, make, setUp, startAgent, stopAgents, addKey, change, agentPorts, origin }
}

export const untilInApp = (page: Page): Promise<void> => page.waitForURL((url) => url.origin === appOrigin)
