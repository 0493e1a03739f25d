import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { systemClock } from '../../base/clock.ts'
import { type Config, loadConfig } from '../../base/config/load-config.ts'
import { createLogger, type Logger } from '../../base/logging.ts'
import type { CommandIo } from '../data-command.ts'
import { openServer, untilAborted } from '../run-server.ts'
import { demoNotice } from './draw-document.ts'
import { openDemo } from './open-demo.ts'

/**
 * Runs the demo until it is interrupted: a server of its own on a folder that is removed at the end. Nothing of it comes
 * from the settings of an installation, so that one beside it stays as it is.
 */
export async function runDemo(io: CommandIo): Promise<void> {
  // A terminal that is closed ends the demo as Ctrl-C does.
  const hangUp = new AbortController()
  process.once('SIGHUP', () => hangUp.abort())
  const signal = AbortSignal.any([io.signal, hangUp.signal])
  await io.line('Starting the demo…')
  const folder = await mkdtemp(join(tmpdir(), 'muster-demo-'))
  try {
    const log = createLogger('info', pino.destination({ dest: join(folder, 'muster.log'), mode: 0o600 }))
    await runIn({ folder, log, signal, io })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

type Place = { folder: string; log: Logger; signal: AbortSignal; io: CommandIo }

async function runIn({ folder, log, signal, io }: Place): Promise<void> {
  const config = await demoConfig(folder)
  const roles = { api: true, worker: true }
  const server = await openServer({ config, log, roles, clock: systemClock, demo: { notice: demoNotice } })
  try {
    const demo = await openDemo({ config, server, folder, log, signal })
    try {
      if (!signal.aborted) await sayHello(demo.address, io)
      await untilAborted(signal)
      await io.line('Stopping…').catch(() => {})
    } finally {
      await demo.close()
    }
  } finally {
    await server.stop()
  }
}

async function sayHello(address: string, io: CommandIo): Promise<void> {
  await io.line(`Open ${address}`)
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
