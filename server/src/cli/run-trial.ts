import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeAgent } from '@muster/agent/describe-agent.ts'
import { runAgent } from '@muster/agent/run-agent.ts'
import { pino } from 'pino'
import { systemClock } from '../base/clock.ts'
import { type Config, loadConfig } from '../base/config/load-config.ts'
import { createLogger } from '../base/logging.ts'
import { privateReceivers, type Server } from '../main.ts'
import type { CommandIo } from './data-command.ts'
import { type LanAccess, openLanAccess } from './lan/lan-access.ts'
import { openServer, sayHowToBegin, untilAborted } from './run-server.ts'
import { keepAddress, keepSecret, readSecret } from './trial-files.ts'

type Trial = { isLan: boolean; withAgent: boolean }

/**
 * What `npm start` runs: everything in one process, and words for a person at a terminal. The log goes into the data
 * folder, so that the key that is printed once stays out of it.
 */
export async function runTrial(env: NodeJS.ProcessEnv, { isLan, withAgent }: Trial, io: CommandIo): Promise<void> {
  const access = isLan ? await openLanAccess(loadConfig(env), env) : undefined
  const config = access ? loadConfig({ ...env, ...access.settings }) : loadConfig(env)
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const logFile = join(config.dataDir, 'muster.log')
  const log = createLogger(config.logLevel, pino.destination({ dest: logFile, append: true, mode: 0o600 }))
  await io.line('Starting Muster…')
  const server = await openServer({
    config,
    roles: { api: true, worker: true },
    clock: systemClock,
    log,
    isTrial: true,
  })
  try {
    const secret = await enrollSecretOf(config, server)
    await keepAddress(config.dataDir, { server: config.baseUrl, caFile: config.tls?.certFile })
    await sayHello(config, server, logFile, access?.caFile, io)
    if (access) await sayHowToJoin(access, secret, io)
    if (!withAgent || secret === undefined) await untilAborted(io.signal)
    else await runWithAgent(config, secret, io)
    await io.line('Stopping…').catch(() => {})
  } finally {
    await server.stop()
  }
}

/** The first start's secret is kept, because the agent and later starts need it in plain text. */
async function enrollSecretOf(config: Config, { first }: Server): Promise<string | undefined> {
  if (first?.enrollSecret !== undefined) await keepSecret(config.dataDir, first.enrollSecret)
  return first?.enrollSecret ?? (await readSecret(config.dataDir))
}

async function sayHello(
  config: Config,
  server: Server,
  logFile: string,
  caFile: string | undefined,
  io: CommandIo,
): Promise<void> {
  const { first } = server
  await io.line(`Console  ${config.baseUrl}/console`)
  await io.line(`Muster is running at ${config.baseUrl}`)
  await io.line(`  API documentation   ${config.baseUrl}/docs`)
  await io.line(`  Data folder         ${config.dataDir}`)
  await io.line(`  Log                 ${logFile}`)
  if (config.allowPrivateReceivers) await io.line(`  ! ${privateReceivers}`)
  for (const { name, message } of config.removedSettings) await io.line(`  ! ${name} ${message}`)
  const begin = sayHowToBegin(server)
  if (begin.length > 0) await io.line('')
  for (const line of begin) await io.line(line)
  if (first?.apiKey === undefined) return
  await io.line('')
  for (const line of describeFirstKey(config, first.apiKey, caFile)) await io.line(line)
}

/** A key from the settings may do everything, and who set it has it: it stays off the terminal. */
function describeFirstKey(
  { baseUrl, bootstrap }: Config,
  { id, key }: { id: string; key: string },
  caFile: string | undefined,
): string[] {
  const trust = caFile === undefined ? '' : ` --cacert ${caFile}`
  const again = `\`npx muster keys reveal ${id}\` shows it again`
  const ask = (credential: string) => ['Ask for the devices:', `  curl${trust} -H ${credential} ${baseUrl}/devices`]
  if (bootstrap.apiKey !== undefined) {
    return [
      `The API key of MUSTER_BOOTSTRAP_API_KEY may do everything; ${again}.`,
      ...ask('"Authorization: Bearer $MUSTER_BOOTSTRAP_API_KEY"'),
      'More keys, with fewer permissions: npx muster keys create --help',
    ]
  }
  return [
    `An API key that may only read; ${again}:`,
    `  ${key}`,
    ...ask(`'Authorization: Bearer ${key}'`),
    'More keys, with permissions to write: npx muster keys create --help',
  ]
}

async function sayHowToJoin(access: LanAccess, secret: string | undefined, io: CommandIo): Promise<void> {
  await io.line('')
  for (const line of access.instructions(secret)) await io.line(line)
}

async function runWithAgent(config: Config, secret: string, io: CommandIo): Promise<void> {
  await io.line('')
  for (const line of describeReading()) await io.line(line)
  await io.line('Leave it out with: npm start -- --no-agent')
  await io.line('')
  await runAgent({
    server: config.baseUrl,
    enrollSecret: secret,
    ...(config.tls && { caFile: config.tls.certFile }),
    stateFile: join(config.dataDir, 'agent.json'),
    log: (line) => void io.line(`agent: ${line}`).catch(() => {}),
    signal: io.signal,
  }).catch(async (error: unknown) => {
    await io.error(`The agent has ended: ${error instanceof Error ? error.message : String(error)}`)
    await untilAborted(io.signal)
  })
}

function describeReading(): string[] {
  const { engine, collected, notCollected, notes } = describeAgent()
  if (engine !== 'own tables') return ['The bundled agent enrolls this machine.', ...notes]
  return [
    'The bundled agent enrolls this machine and answers the checks from what it reads here; nothing leaves the machine.',
    `  It reads ${collected.length} tables: ${sample(collected)}`,
    ...(notCollected.length > 0 ? [`  It does not read: ${sample(notCollected.map(({ table }) => table))}`] : []),
    ...notes.map((note) => `  ${note}`),
  ]
}

const sample = (names: readonly string[]): string =>
  names.length > 14 ? `${names.slice(0, 14).join(', ')} and ${names.length - 14} more` : names.join(', ')
