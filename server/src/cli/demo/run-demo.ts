import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { companionPorts } from '../../agents/companion-keys/companion-ports.ts'
import { systemClock } from '../../base/clock.ts'
import { type Config, loadConfig } from '../../base/config/load-config.ts'
import { createLogger, type Logger } from '../../base/logging.ts'
import type { CommandIo } from '../data-command.ts'
import { openServer, untilAborted } from '../run-server.ts'
import { demoNotice } from './draw-document.ts'
import { openDemo } from './open-demo.ts'
import { openDesk } from './open-desk.ts'
import { openSite } from './open-site.ts'

/**
 * Runs the demo until it is interrupted: a server of its own on a folder that is removed at the end. Nothing of it comes
 * from the settings of an installation, so that one beside it stays as it is.
 */
export async function runDemo(io: CommandIo, sshConnection?: string): Promise<void> {
  // A terminal that is closed ends the demo as Ctrl-C does.
  const hangUp = new AbortController()
  process.once('SIGHUP', () => hangUp.abort())
  const signal = AbortSignal.any([io.signal, hangUp.signal])
  await io.line('Starting the demo…')
  const folder = await mkdtemp(join(tmpdir(), 'muster-demo-'))
  try {
    const log = createLogger('info', pino.destination({ dest: join(folder, 'muster.log'), mode: 0o600 }))
    await runIn({ folder, log, signal, io, sshConnection })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

type Place = {
  folder: string
  log: Logger
  signal: AbortSignal
  io: CommandIo
  /** As sshd says it: address and port of the client, then of the server. */
  sshConnection: string | undefined
}

async function runIn({ folder, log, signal, io, sshConnection }: Place): Promise<void> {
  const config = await demoConfig(folder)
  const onError = (error: unknown) => log.error({ err: error }, 'The demo failed at something')
  const site = openSite(config.baseUrl, onError)
  const desk = openDesk(config.baseUrl)
  const server = await openServer({
    ...{ config, log, roles: { api: true, worker: true }, clock: systemClock },
    demo: {
      notice: demoNotice,
      answer: (request, response) => site.answer(request, response) || desk.answer(request, response),
      // This machine's companion listens where companions do, those of made-up laptops at the demo's own port.
      ports: [...companionPorts, config.port],
    },
  })
  try {
    const demo = await openDemo({ config, server, site, desk, folder, log, onError, signal })
    try {
      if (!signal.aborted) await sayHello(demo.address, io, sshConnection)
      await untilAborted(signal)
      await io.line('Stopping…').catch(() => {})
    } finally {
      await demo.close()
    }
  } finally {
    await server.stop()
  }
}

async function sayHello(address: string, io: CommandIo, sshConnection = ''): Promise<void> {
  await io.line(`Open ${address}`)
  const [, , host, sshPort] = sshConnection.split(' ')
  if (host !== undefined) {
    const { port } = new URL(address)
    const way = `${sshPort === '22' ? '' : `-p ${sshPort} `}${userInfo().username}@${host}`
    await io.line(`From another computer, forward its port first: ssh -L ${port}:127.0.0.1:${port} ${way}`)
  }
  await io.line('It runs on this machine only. All of it goes away when you stop it: Ctrl-C.')
}

/** Of all settings only the ones that are given here: those of the environment are another installation’s. */
async function demoConfig(folder: string): Promise<Config> {
  const port = await freePort()
  return loadConfig({
    ...{ HOST: '127.0.0.1', PORT: String(port), MUSTER_BASE_URL: `http://127.0.0.1:${port}` },
    ...{ MUSTER_DATA_DIR: join(folder, 'data'), MUSTER_DRAIN_SECONDS: '0' },
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Northwind',
  })
}

/** The address of the server is in its configuration, so its port has to be known before it listens. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return address.port
}
