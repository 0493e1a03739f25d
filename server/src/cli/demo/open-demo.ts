import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { systemClock } from '../../base/clock.ts'
import type { Config } from '../../base/config/load-config.ts'
import type { Logger } from '../../base/logging.ts'
import type { Server } from '../../main.ts'
import { issuerPath } from '../../sign-in/connections/sign-in-address.ts'
import { demoPeople } from './demo-people.ts'
import { newSigningKeys, serveIdentityProvider } from './identity-provider.ts'
import { serveNotesApp } from './notes-app.ts'
import type { Desk } from './open-desk.ts'
import type { Site } from './open-site.ts'
import { openStage } from './open-stage.ts'
import { runMachines } from './run-machines.ts'
import { setUpOrganization } from './set-up-organization.ts'
import { serveStartSite } from './start-site.ts'

type Parts = {
  config: Config
  server: Server
  site: Site
  desk: Desk
  folder: string
  log: Logger
  onError: (error: unknown) => void
  signal: AbortSignal
}

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
  { config, server, site, desk, folder, log, onError, signal }: Parts,
  onClose: (stop: () => unknown) => void,
): Promise<string> {
  const { baseUrl } = config
  const { connection, secrets } = server.deployment
  const [start, provider, notes] = [site.party(''), site.party('sign-in-service'), site.party('notes')]
  const people = demoPeople()
  const keys = await newSigningKeys()
  const app = {
    // Letters and digits only: an Authorization header spells others in its own way (RFC 6749 §2.3.1).
    ...{ id: 'notes', secret: randomBytes(24).toString('hex') },
    redirectUri: `${notes.address}/back`,
  }
  const organization = await setUpOrganization(connection.db, secrets, {
    ...{ organizationId: server.first?.organizationId ?? '', people, now: systemClock() },
    connection: {
      ...{ name: 'Northwind Notes', redirectUri: `${provider.address}/device`, startUrl: `${notes.address}/sign-in` },
      requestKey: keys.jwk,
    },
  })
  const { enrollSecrets, client } = organization
  const toLog = (line: string) => log.info(line)
  const machines = runMachines({ server: baseUrl, enrollSecrets, desk, folder, log: toLog, signal })
  onClose(() => machines.ended)
  const stage = openStage({ db: connection.db, organization, machines, desk, clock: systemClock, onError })
  onClose(stage.close)
  const muster = { issuer: baseUrl + issuerPath, clientId: client.id, clientSecret: client.secret }
  await serveIdentityProvider({ party: provider, app, people, muster, keys, prepare: stage.prepare })
  await serveNotesApp({ party: notes, app, issuer: provider.address, consoleAddress: `${baseUrl}/console` })
  const probe = await openProbe()
  onClose(probe.close)
  serveStartSite({
    ...{ party: start, stage, secrets, baseUrl, people },
    ...{ appAddress: notes.address, probe: probe.origin },
  })
  await stage.untilReady(signal)
  return start.address
}

/** A browser that gets an answer here runs on this machine: the port of the demo may be forwarded, this one is not. */
async function openProbe(): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer((_request, response) => response.writeHead(204, { connection: 'close' }).end())
  server.maxConnections = 20
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
