import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before } from 'node:test'
import { type ApplicationName, applicationSettings } from '../../../src/cli/application-settings.ts'
import type { NewConnection } from '../../../src/sign-in/connections/create-connection.ts'
import { readMetadata } from '../../../src/sign-in/upstreams/read-metadata.ts'
import { oidcClient, startIdentityProvider } from '../../support/identity-provider.ts'
import { freePort, until } from '../../support/muster-process.ts'
import type { Laptop } from '../laptop.ts'
import { isAnswering } from '../run-program.ts'
import { signInPlace } from '../sign-in-place.ts'
import { applicationBrowser } from './application-browser.ts'

type Started = { command: string; args: readonly string[]; cwd: string; env?: Record<string, string> }
/** Addresses of the application below its own, and what of its connection is not as usual. */
type Paths = { callback: string; signedOut: string; connection?: Partial<NewConnection> }

/** Ana, who signs in at an upstream, her laptop, and applications that send her there. Call it at the top level. */
export function applicationPlace() {
  const place = signInPlace()
  const email = 'ana@acme.example'
  const stops: (() => unknown)[] = []
  let parts: Awaited<ReturnType<typeof open>>

  async function open() {
    await place.ready
    const { organizationId, origin } = place.tenant
    const provider = await startIdentityProvider(`${origin}/signin/upstream/return`)
    stops.push(() => provider.stop())
    provider.accounts.set('ana-7', { email, emailVerified: true, name: 'Ana Ruiz' })
    const client = { clientId: oidcClient.id, clientSecret: oidcClient.secret }
    const egress = { innerNames: [], innerRanges: ['127.0.0.1'] }
    const metadata = await readMetadata(egress, { provider: 'oidc', issuer: provider.issuer, ...client })
    const wanted = { name: 'Example ID', provider: 'oidc', emailDomains: ['acme.example'], ...client } as const
    const { id: upstreamId } = await place.tenant.addUpstream({ ...wanted, metadata })
    const { id: ownerId } = await place.make.person(organizationId, { email })
    const configuration = { remediation_strategy: 'block_immediately' } as const
    const check = await place.make.check(organizationId, { configuration })
    const laptop: Laptop = await place.tenant.addLaptop({ ownerId, isAnyPort: true })
    return { provider, upstreamId, check, laptop }
  }
  before(async () => {
    parts = await open()
    await report('PASS')
  })
  after(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  /** What the check of Ana's laptop says from now on. */
  async function report(rows: 'PASS' | 'FAIL') {
    const device = { organization_id: place.tenant.organizationId, id: parts.laptop.deviceId }
    await place.make.result({ device, check: parts.check, rows, at: new Date().toISOString() })
  }

  /** Starts an application that has a connection, by the settings that the documentation names, and a browser of Ana's. */
  async function start(name: ApplicationName, paths: Paths, started: (site: string) => Started) {
    const { upstreamId, provider, laptop } = parts
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const { clientId, clientSecret } = await place.tenant.addConnection({
      ...{ kind: 'application', name, redirectUris: [`${origin}${paths.callback}`], upstreamId },
      ...{ postLogoutRedirectUris: [`${origin}${paths.signedOut}`], ...paths.connection },
    })
    const settings = nested(applicationSettings[name].settings)
    const { issuer } = place.tenant
    const site = JSON.stringify({ program: name, origin, issuer, clientId, clientSecret, settings })
    const { command, args, cwd, env } = started(site)
    const { PATH, HOME } = process.env
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, SITE: site, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-4_000)
      })
    }
    stops.push(() => child.kill('SIGKILL'))
    await until(60_000, async () => {
      assert.equal(child.exitCode, null, output)
      return isAnswering(port)
    })
    const asked = { musterOrigin: place.tenant.origin, provider, login: 'ana-7', port: laptop.port }
    return { origin, browser: applicationBrowser(asked), output: () => output }
  }

  return { email, report, start }
}

/** Settings by their names with dots, as an application takes them. */
function nested(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(settings)) {
    const [last = name, ...outer] = name.split('.').toReversed()
    let at = all
    for (const part of outer.toReversed()) {
      const inner = at[part] ?? {}
      at[part] = inner
      at = inner as Record<string, unknown>
    }
    at[last] = value
  }
  return all
}
