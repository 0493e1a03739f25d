import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { oidcClient, startIdentityProvider } from '../support/identity-provider.ts'
import type { Hooks } from '../support/muster-process.ts'
import { relyingParty, signInBrowser } from '../support/sign-in-browser.ts'
import type { SignInPlace } from './sign-in-place.ts'

/** What processes need to reach an identity provider of the tests. */
export const reachingProviders = { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' }

/** An application beside that of the place, whose people a certified provider on this machine signs in. */
export async function openBrokerPlace(hooks: Hooks, { run, web, onPage, redeem, caller, baseUrl }: SignInPlace) {
  const provider = await startIdentityProvider(`${baseUrl}/signin/upstream/return`)
  hooks.after(() => provider.stop())
  provider.accounts.set('ana-7', { email: caller.email, emailVerified: true })
  const application = await addApplication(run, hooks, { issuer: provider.issuer, baseUrl })
  const { rp, clientId } = application
  /** By which the provider knows the browser. */
  const walk = (away: string, jar: Map<string, string>) => provider.walk(away, 'ana-7', jar)

  /** A browser that the application has sent here. */
  function arrive() {
    const browser = signInBrowser(web, baseUrl)
    const jar = new Map<string, string>()
    const address = rp.addressOf(rp.plainRequest(clientId))
    /** Where the provider is, once the application's request has begun a sign-in. */
    const leave = () => browser.follow(address)
    const signIn = (away: string) => walk(away, jar)
    return { browser, leave, signIn, onPage: (callback: string) => onPage(browser, callback) }
  }

  return { provider, arrive, redeem: (away: string | undefined) => redeem(away, application) }
}

export type BrokerPlace = Awaited<ReturnType<typeof openBrokerPlace>>

async function addApplication(
  run: SignInPlace['run'],
  hooks: Hooks,
  { issuer, baseUrl }: { issuer: string; baseUrl: string },
) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-broker-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const secretFile = join(folder, 'secret')
  await writeFile(secretFile, oidcClient.secret)
  const client = ['--client-id', oidcClient.id, '--client-secret-file', secretFile]
  const made = await run('upstreams', 'create', 'Example ID', '--issuer', issuer, ...client)
  const [, upstreamId] = /^Upstream: +(\d+)$/m.exec(made) ?? assert.fail(made)
  const rp = await relyingParty({ issuer: baseUrl })
  const where = ['--enforce', '--redirect-uri', rp.redirectUri, '--upstream', upstreamId ?? '']
  const said = await run('connections', 'add', 'application', 'Wiki', ...where)
  const [, clientId = ''] = /^Client ID:\s+(\S+)$/m.exec(said) ?? []
  const [, clientSecret = ''] = /^Client secret:\s+(\S+)$/m.exec(said) ?? []
  return { rp, clientId, clientSecret }
}
