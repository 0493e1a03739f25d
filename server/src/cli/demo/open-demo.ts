import { randomBytes } from 'node:crypto'
import { systemClock } from '../../base/clock.ts'
import type { Config } from '../../base/config/load-config.ts'
import type { Logger } from '../../base/logging.ts'
import type { Server } from '../../main.ts'
import { issuerPath } from '../../sign-in/connections/sign-in-address.ts'
import { demoPeople } from './demo-people.ts'
import { newSigningKeys, serveIdentityProvider } from './identity-provider.ts'
import { serveNotesApp } from './notes-app.ts'
import { openDesk } from './open-desk.ts'
import { openParty } from './open-party.ts'
import { openStage } from './open-stage.ts'
import { runMachines } from './run-machines.ts'
import { setUpOrganization } from './set-up-organization.ts'
import { serveStartSite } from './start-site.ts'

type Parts = { config: Config; server: Server; folder: string; log: Logger; signal: AbortSignal }

export type Demo = {
  /** Of the start page, with the key that opens it. */
  address: string
  close: () => Promise<void>
}

/** Fills the server, runs the machines and serves the three parties. Resolves once the made-up people stand as they should. */
export async function openDemo(parts: Parts): Promise<Demo> {
  const ending = new AbortController()
  const stops: (() => unknown)[] = []
  const close = async () => {
    ending.abort()
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  const signal = AbortSignal.any([parts.signal, ending.signal])
  try {
    return { address: await assemble({ ...parts, signal }, (stop) => stops.push(stop)), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Resolves to the address of the start page. */
async function assemble(
  { config, server, folder, log, signal }: Parts,
  onClose: (stop: () => unknown) => void,
): Promise<string> {
  const { baseUrl } = config
  const { connection, secrets } = server.deployment
  const onError = (error: unknown) => log.error({ err: error }, 'The demo failed at something')
  const party = async () => {
    const opened = await openParty(onError)
    onClose(opened.close)
    return opened
  }
  const [start, provider, notes] = [await party(), await party(), await party()]
  const people = demoPeople()
  const keys = await newSigningKeys()
  const app = {
    // Letters and digits only: an Authorization header spells others in its own way (RFC 6749 §2.3.1).
    ...{ id: 'notes', secret: randomBytes(24).toString('hex') },
    redirectUri: `${notes.origin}/back`,
  }
  const organization = await setUpOrganization(connection.db, secrets, {
    ...{ organizationId: server.first?.organizationId ?? '', people, now: systemClock() },
    connection: {
      ...{ name: 'Northwind Notes', redirectUri: `${provider.origin}/device`, startUrl: `${notes.origin}/sign-in` },
      requestKey: keys.jwk,
    },
  })
  const desk = openDesk(baseUrl)
  const { enrollSecrets, client } = organization
  const toLog = (line: string) => log.info(line)
  const machines = runMachines({ server: baseUrl, enrollSecrets, desk, folder, log: toLog, signal })
  onClose(() => machines.ended)
  onClose(desk.close)
  const stage = openStage({ db: connection.db, organization, machines, desk, clock: systemClock, onError })
  onClose(stage.close)
  const muster = { issuer: baseUrl + issuerPath, clientId: client.id, clientSecret: client.secret }
  await serveIdentityProvider({ party: provider, app, people, muster, keys, prepare: stage.prepare })
  await serveNotesApp({ party: notes, app, issuer: provider.origin, consoleAddress: `${baseUrl}/console` })
  const key = randomBytes(16).toString('base64url')
  serveStartSite({ party: start, key, stage, secrets, baseUrl, people, appOrigin: notes.origin })
  await stage.untilReady(signal)
  return `${start.origin}/${key}`
}
