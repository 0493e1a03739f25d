import assert from 'node:assert/strict'
import { grant, keyIdOf } from '../../server/test/processes/ssf-client.ts'
import { openChangingDevice } from '../../server/test/support/changing-device.ts'
import type { Hooks } from '../../server/test/support/muster-process.ts'
import { openTlsServer, type TlsServer } from '../../server/test/support/tls-server.ts'
import type { OrganizationKind, Transmitter } from './plans.ts'

/** An organization as a receiver sees it, with a device whose compliance can be changed. */
export type Organization = {
  readonly transmitter: Transmitter
  /** Fails a check of the device, and makes it pass again. */
  changeCompliance(): Promise<void>
}

export type Organizations = Readonly<Record<OrganizationKind, Organization>>

/** Muster on a database of its own that is gone afterwards. */
export async function openTransmitter(hooks: Hooks, settings: Record<string, string>): Promise<Organizations> {
  const tls = await openTlsServer(hooks, undefined, { MUSTER_SSF_PATH_ISSUERS: 'true', ...settings })
  const first = await openOrganization(hooks, tls, { id: '1', issuer: tls.origin })
  return { first, path: await openSecond(hooks, tls) }
}

async function openSecond(hooks: Hooks, tls: TlsServer): Promise<Organization> {
  const id = await print(tls, /^\d+$/m, ['organizations', 'create', 'Globex'])
  const permissions = ['manage_ssf_streams', 'refresh_check', 'configure_checks']
  const rights = ['--rationale', 'The conformance suite', '--permission', ...permissions]
  const own = ['--organization', id]
  const key = await print(tls, /mstr_v1_\S+/, ['keys', 'create', 'Receiver', ...own, ...rights])
  await print(tls, /./, ['people', 'add', 'Ada', tls.person, ...own])
  const person = ['--person-email', tls.person]
  const secret = await print(tls, /\S{24,}/, ['enrollment-secrets', 'create', 'Fleet', ...own, ...person])
  return openOrganization(hooks, { ...tls, key, enrollSecret: secret }, { id, issuer: `${tls.origin}/ssf/${id}` })
}

async function openOrganization(
  hooks: Hooks,
  tls: TlsServer,
  { id, issuer }: { id: string; issuer: string },
): Promise<Organization> {
  const clientId = await keyIdOf(tls, id)
  const { access_token: accessToken } = await grant(tls, 'ssf.manage ssf.read', { organization: id })
  const device = await openChangingDevice(tls)
  hooks.after(async () => device.close())
  return {
    transmitter: { issuer, clientId, key: tls.key, accessToken },
    async changeCompliance() {
      await device.turn('FAIL')
      await device.turn('PASS')
    },
  }
}

/** What a command of the operator prints that matches. */
async function print({ place }: TlsServer, pattern: RegExp, args: readonly string[]): Promise<string> {
  const { out, err } = await place.run(args)
  const found = pattern.exec(out)?.[0]
  assert.ok(found, `muster ${args.join(' ')}: ${out}${err}`)
  return found
}
