import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { PlatformWeights } from './device-profile.ts'
import { runSimulation, type SimulationOptions } from './run-simulation.ts'
import { formatReport, type SimulationReport } from './simulation-report.ts'

const flags = {
  server: { type: 'string' },
  'enroll-secret': { type: 'string' },
  ca: { type: 'string' },
  devices: { type: 'string', default: '50' },
  'fail-rate': { type: 'string', default: '0.05' },
  period: { type: 'string', default: '30m' },
  seed: { type: 'string', default: '1' },
  spread: { type: 'string' },
  duration: { type: 'string' },
  rounds: { type: 'string' },
  'config-interval': { type: 'string' },
  'distributed-interval': { type: 'string' },
  'log-interval': { type: 'string' },
  connections: { type: 'string' },
  platforms: { type: 'string' },
  'state-file': { type: 'string' },
  'duplicate-rate': { type: 'string', default: '0' },
  'status-line-rate': { type: 'string', default: '0' },
  'progress-every': { type: 'string', default: '5s' },
} as const satisfies ParseArgsOptionsConfig

export const simulateHelp = `muster simulate: many simulated devices over osquery's TLS protocol.

  --server URL                 the server, e.g. https://trust.example.com (the trial on this machine)
  --enroll-secret TEXT         an enrollment secret; needed with --server
  --ca FILE                    the certificate authority to trust, PEM
  --devices N                  how many devices (50)
  --fail-rate SHARE            share of its checks that a device fails at any time, 0 to 1 (0.05)
  --period TIME                mean time until a check of a device fails or heals (30m)
  --seed N                     the same seed gives the same devices and failures (1)
  --spread TIME                time over which the devices start (2 ms each, at most 10m)
  --duration TIME              end after this long (until interrupted)
  --rounds N                   end when every device has enrolled and answered N times, or after --duration
  --config-interval TIME       instead of 300 s
  --distributed-interval TIME  instead of what the server's configuration says
  --log-interval TIME          instead of what the server's configuration says
  --connections N              connections that all devices share (64, at most one per device), or
                               "own" for one of each device
  --platforms A=N,B=N          shares of darwin, windows and linux (darwin=50,windows=35,linux=15)
  --state-file FILE            keeps node keys: a later run continues as the same devices
  --duplicate-rate SHARE       share of requests sent twice, as broken connections cause (0)
  --status-line-rate SHARE     share of log periods that have a status line to send (0)
  --progress-every TIME        (5s)

TIME is a number with ms, s, m or h. Real agents each hold up to three connections of their own: a
server sees fewer sockets and TLS handshakes from simulated devices than from as many real ones.`

/** Runs the command line and returns the report; throws an Error that says which argument is wrong. */
export async function simulate(
  args: string[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<SimulationReport> {
  const report = await runSimulation({ ...parseSimulateArguments(args), log, signal })
  log(formatReport(report))
  return report
}

export function parseSimulateArguments(args: string[]): Omit<SimulationOptions, 'log' | 'signal'> {
  const { values } = parseArgs({ args, options: flags, strict: true })
  const { server, 'enroll-secret': enrollSecret } = values
  if (!server || !URL.canParse(server)) throw new Error('--server needs the URL of the server')
  if (!enrollSecret) throw new Error('--enroll-secret needs an enrollment secret')
  return {
    server,
    enrollSecret,
    devices: wholeNumber('--devices', values.devices, 1),
    failRate: share('--fail-rate', values['fail-rate']),
    periodMs: Math.max(1, duration('--period', values.period)),
    seed: wholeNumber('--seed', values.seed, 0),
    duplicateRate: share('--duplicate-rate', values['duplicate-rate']),
    statusLineRate: share('--status-line-rate', values['status-line-rate']),
    progressEveryMs: Math.max(100, duration('--progress-every', values['progress-every'])),
    intervals: {
      ...given('configMs', '--config-interval', values['config-interval'], duration),
      ...given('distributedMs', '--distributed-interval', values['distributed-interval'], duration),
      ...given('logMs', '--log-interval', values['log-interval'], duration),
    },
    ...given('caFile', '--ca', values.ca, (_, path) => path),
    ...given('stateFile', '--state-file', values['state-file'], (_, path) => path),
    ...given('spreadMs', '--spread', values.spread, duration),
    ...given('durationMs', '--duration', values.duration, duration),
    ...given('rounds', '--rounds', values.rounds, (flag, text) => wholeNumber(flag, text, 1)),
    ...given('connections', '--connections', values.connections, connectionsOf),
    ...given('platforms', '--platforms', values.platforms, platformWeights),
  }
}

/** An object with the one property, or an empty one: absent options must stay absent. */
function given<Name extends string, T>(
  name: Name,
  flag: string,
  text: string | undefined,
  parse: (flag: string, text: string) => T,
): Partial<Record<Name, T>> {
  const property: Partial<Record<Name, T>> = {}
  if (text !== undefined) property[name] = parse(flag, text)
  return property
}

const connectionsOf = (flag: string, text: string): number | 'own' =>
  text === 'own' ? text : wholeNumber(flag, text, 1)

function wholeNumber(flag: string, text: string, least: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
    throw new Error(`${flag} needs a whole number from ${least}, not "${text}"`)
  return number
}

function share(flag: string, text: string): number {
  const number = Number(text)
  if (text === '' || !(number >= 0 && number <= 1)) throw new Error(`${flag} needs a number from 0 to 1, not "${text}"`)
  return number
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function duration(flag: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  if (number === '') throw new Error(`${flag} needs a time such as 500ms, 30s, 5m or 1h, not "${text}"`)
  return Number(number) * (unitMs[unit] ?? 1)
}

function platformWeights(flag: string, text: string): PlatformWeights {
  const weights: PlatformWeights = { darwin: 0, windows: 0, linux: 0 }
  for (const part of text.split(',')) {
    const [, name = '', number = ''] = /^(darwin|windows|linux)=(\d+(?:\.\d+)?)$/.exec(part.trim()) ?? []
    if (name !== 'darwin' && name !== 'windows' && name !== 'linux')
      throw new Error(`${flag} needs shares such as darwin=50,windows=35,linux=15, not "${text}"`)
    weights[name] = Number(number)
  }
  if (weights.darwin + weights.windows + weights.linux === 0)
    throw new Error(`${flag} needs at least one share above 0`)
  return weights
}
