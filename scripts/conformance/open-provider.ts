import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { oidcClient, startIdentityProvider } from '../../server/test/support/identity-provider.ts'
import type { Hooks } from '../../server/test/support/muster-process.ts'
import { openTlsServer, type TlsServer } from '../../server/test/support/tls-server.ts'
import { alias, type Provider } from './provider-plans.ts'

export type OpenedProvider = Provider & {
  readonly origin: string
  /** Of the provider that signs the people in. */
  readonly upstream: string
}

/** As people sign in there; any password is right. */
export const account = 'ada-7'

/** Muster with an application for each client of the suite, an upstream, and a computer that can prove itself. */
export async function openProvider(hooks: Hooks, suite: string): Promise<OpenedProvider> {
  const tls = await openTlsServer(hooks, undefined, { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' })
  const upstream = await startIdentityProvider(`${tls.origin}/signin/upstream/return`)
  hooks.after(() => upstream.stop())
  upstream.accounts.set(account, { email: tls.person, emailVerified: true, name: 'Ada Lovelace' })
  const folder = mkdtempSync(join(tmpdir(), 'muster-openid-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'secret'), oidcClient.secret)
  const client = ['--client-id', oidcClient.id, '--client-secret-file', join(folder, 'secret')]
  await said(tls, ['upstreams', 'create', 'Example ID', '--issuer', upstream.issuer, ...client])
  const clients = [await addClient(tls, suite, 'First'), await addClient(tls, suite, 'Second')]
  const agent = ['agent', '--server', tls.origin, '--enroll-secret', tls.enrollSecret]
  const trusted = { NODE_EXTRA_CA_CERTS: tls.place.env['MUSTER_TLS_CA_FILE'] ?? '' }
  await tls.place.startCommand([...agent, '--state-file', join(folder, 'agent.json')], /companion: enrolled/, trusted)
  return { issuer: `${tls.origin}/signin/oidc`, origin: tls.origin, upstream: upstream.issuer, clients }
}

/** The suite's Basic plan sends no PKCE, which is lifted for an application with a secret. */
async function addClient(tls: TlsServer, suite: string, name: string) {
  const at = `${suite}/test/a/${alias}`
  const back = ['--redirect-uri', `${at}/callback`, '--post-logout-redirect-uri', `${at}/post_logout_redirect`]
  const out = await said(tls, ['connections', 'add', 'application', name, '--upstream', '1', '--without-pkce', ...back])
  const read = (field: string) => new RegExp(`^${field}:\\s+(\\S+)$`, 'm').exec(out)?.[1] ?? assert.fail(out)
  return { clientId: read('Client ID'), clientSecret: read('Client secret') }
}

async function said({ place }: TlsServer, args: readonly string[]): Promise<string> {
  const { exit, out, err } = await place.run(args)
  assert.equal(exit, 0, `muster ${args.join(' ')}: ${out}${err}`)
  return out
}
