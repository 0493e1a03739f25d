import type { Config } from '../../base/config/load-config.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { readTextFile } from '../program/read-text-file.ts'
import { type Fault, faults } from './listen-for-sets.ts'

/** As they were given at the terminal. */
export type ReceiverFlags = {
  poll?: string | true
  create?: boolean
  server?: string
  port?: string
  http?: boolean
  cert?: string
  key?: string
  url?: string
  audience?: string
  authorizationFile?: string
  answer?: string
  for?: string
}

export type PollPlan = { how: 'poll'; server: string; apiKey: string; stream?: string; pollToken: string | undefined }

export type PushPlan = {
  how: 'push'
  server: string
  /** There when the stream is to be made. */
  apiKey: string | undefined
  port: number
  tls: 'self-signed' | 'none' | { certFile: string; keyFile: string }
  /** By which the transmitter knows it; undefined for the listener's own. */
  url: string | undefined
  audience: string | undefined
  authorization: string | undefined
  fault: Fault | undefined
  /** For how long the fault is shown; undefined for all the time. */
  faultMs: number | undefined
}

type Given = { flags: ReceiverFlags; env: NodeJS.ProcessEnv; config: Pick<Config, 'baseUrl'> }

const pushOnly = ['port', 'http', 'cert', 'key', 'url', 'audience', 'authorizationFile', 'answer', 'for'] as const
const defaultPort = '8935'

/** What to do, or a CommandError that says what of the flags does not fit. Secrets come by environment or file only. */
export async function planReceiver({ flags, env, config }: Given): Promise<PollPlan | PushPlan> {
  const server = originOf(flags.server ?? config.baseUrl)
  if (flags.poll === undefined) return planPush(server, flags, env)
  const misplaced = pushOnly.find((name) => flags[name] !== undefined)
  if (misplaced) throw usage(`${flagOf(misplaced)} is for events that are pushed, and --poll polls`)
  if (flags.create && flags.poll !== true) throw usage('--create makes a stream of its own: leave out which one')
  const apiKey = apiKeyOf(env)
  if (flags.poll === true) return { how: 'poll', server, apiKey, pollToken: undefined }
  return { how: 'poll', server, apiKey, stream: flags.poll, pollToken: secretOf(env, 'MUSTER_POLL_TOKEN') }
}

async function planPush(server: string, flags: ReceiverFlags, env: NodeJS.ProcessEnv): Promise<PushPlan> {
  if ((flags.cert === undefined) !== (flags.key === undefined)) throw usage('--cert and --key belong together')
  if (flags.http && flags.cert !== undefined) throw usage('--http uses no certificate')
  if (flags.create && flags.http && flags.url === undefined) {
    throw usage('Streams are pushed by https only: give the --url of what ends TLS in front')
  }
  if (flags.create && flags.audience !== undefined) throw usage('--create learns the audience from its stream')
  if (flags.url !== undefined && !URL.canParse(flags.url)) throw usage('--url needs an address')
  if (flags.for !== undefined && flags.answer === undefined) throw usage('--for needs --answer')
  const { cert: certFile, key: keyFile } = flags
  return {
    how: 'push',
    server,
    apiKey: flags.create ? apiKeyOf(env) : undefined,
    port: numberOf('--port', flags.port ?? defaultPort, 65_535),
    tls: certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : flags.http ? 'none' : 'self-signed',
    url: flags.url,
    audience: flags.audience,
    authorization: await authorizationOf(flags, env),
    fault: faultOf(flags.answer),
    faultMs: flags.for === undefined ? undefined : numberOf('--for', flags.for, 86_400) * 1_000,
  }
}

function apiKeyOf(env: NodeJS.ProcessEnv): string {
  const key = secretOf(env, 'MUSTER_API_KEY')
  if (key !== undefined) return key
  throw usage(`MUSTER_API_KEY has to be a key that may manage streams. Make one, and export it:
  npx muster keys create Receiver --permission manage_ssf_streams --rationale 'Trying streams'`)
}

async function authorizationOf({ authorizationFile: file }: ReceiverFlags, env: NodeJS.ProcessEnv) {
  if (file === undefined) return secretOf(env, 'MUSTER_RECEIVER_AUTHORIZATION')
  return (await readTextFile(file)).trim()
}

const secretOf = (env: NodeJS.ProcessEnv, name: string): string | undefined => env[name]?.trim() || undefined

function originOf(server: string): string {
  if (URL.canParse(server) && /^https?:$/.test(new URL(server).protocol)) return server
  throw usage('--server needs an address such as https://trust.example.com')
}

function faultOf(answer: string | undefined): Fault | undefined {
  const fault = faults.find((one) => one === answer)
  if (answer !== undefined && !fault) throw usage(`--answer is one of ${faults.join(', ')}`)
  return fault
}

function numberOf(flag: string, text: string, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number
  throw usage(`${flag} needs a whole number from 1 to ${most}`)
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`

const usage = (message: string) => new CommandError(exitCodes.usage, message)
