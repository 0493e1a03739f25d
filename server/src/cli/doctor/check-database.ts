import { existsSync } from 'node:fs'
import { Parse } from 'typebox/value'
import type { Config } from '../../base/config/load-config.ts'
import { masterKeyFile, openMasterKey } from '../../base/config/master-key.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { type BackgroundStatus, describeSilence } from '../../health/worker-heartbeats.ts'
import { embeddedFolder } from '../../open-deployment.ts'
import { callCommandSocket } from '../call-command-socket.ts'
import { socketPath } from '../command-socket.ts'
import { databaseFactsCommand } from '../commands/database-facts-command.ts'
import type { CommandIo } from '../data-command.ts'
import { openDatabase } from '../open-database.ts'
import { type DatabaseFacts, databaseFacts, readDatabaseFacts } from './database-facts.ts'
import { type Finding, failed, ok, warning } from './finding.ts'
import { judgeOverdueReports, judgeReportRole } from './judge-reports.ts'
import { judgeStreams } from './judge-streams.ts'
import { judgeSurveys } from './judge-surveys.ts'

const maxSkewMs = 5_000
const muchSkewMs = 1_000

/** Asks the database, or the server that has it open, and judges the answer. */
export async function checkDatabase(config: Config, io: CommandIo, clockMs: () => number): Promise<Finding[]> {
  const askedAtMs = clockMs()
  const answer = await askDatabase(config, io)
  if (!answer) return [ok('database', 'none yet: the first `muster start` makes it in the data folder')]
  const { facts, isRunning } = answer
  const answeredAtMs = clockMs()
  return [
    describeVersion(facts),
    ...judgeEncoding(facts),
    facts.pending.length === 0
      ? ok('migrations', 'all applied')
      : failed('migrations', `missing ${facts.pending.join(', ')}: run \`muster migrate\``),
    ...(facts.pending.length === 0 ? [judgeWrites(facts), judgeReportRole(facts), judgeAuditLog(facts)] : []),
    ...judgeOverdueReports(facts),
    ...(facts.background && isRunning ? [judgeBackground(facts.background, facts.hasWorked)] : []),
    judgeClock(Date.parse(facts.clock), askedAtMs, answeredAtMs),
    await judgeMasterKey(config, facts.fingerprint),
    ...(facts.streams ? judgeStreams(facts.streams, config, facts.clock) : []),
    ...judgeSurveys(facts),
    ...judgeAddresses(facts),
  ]
}

/** `isRunning`: someone may be expected to work in the background; nobody does while the embedded one is closed. */
type Answer = { facts: DatabaseFacts; isRunning: boolean }

async function askDatabase(config: Config, io: CommandIo): Promise<Answer | undefined> {
  if (config.databaseUrl === undefined) {
    const answer: string[] = []
    const said: string[] = []
    const write = async (text: string) => void answer.push(text)
    const error = async (text: string) => void said.push(text)
    const call = { name: databaseFactsCommand.name, args: {}, readsInput: false }
    const exit = await callCommandSocket(socketPath(config.dataDir), call, { ...io, write, error })
    if (exit === 0) return { facts: Parse(databaseFacts, JSON.parse(answer.join(''))), isRunning: true }
    if (exit !== undefined) throw new Error(said.join('\n') || 'The running server did not answer')
    if (!existsSync(embeddedFolder(config.dataDir))) return undefined
  }
  const connection = await openDatabase(config, { mayTakeLong: false })
  try {
    return { facts: await readDatabaseFacts(connection), isRunning: config.databaseUrl !== undefined }
  } finally {
    await connection.close()
  }
}

/** One that is too old was refused when it was opened. */
function describeVersion({ engine, versionNumber }: DatabaseFacts): Finding {
  const version = `${Math.floor(versionNumber / 10_000)}.${versionNumber % 10_000}`
  return ok('database', engine === 'pglite' ? `embedded, of PostgreSQL ${version}` : `PostgreSQL ${version}`)
}

function judgeEncoding({ encoding }: DatabaseFacts): Finding[] {
  if (encoding === 'UTF8') return []
  return [failed('encoding', `${encoding} cannot hold every name: create the database with ENCODING 'UTF8'`)]
}

function judgeAddresses({ hasOddAddresses }: DatabaseFacts): Finding[] {
  if (hasOddAddresses !== true) return []
  return [
    warning(
      'client addresses',
      'a proxy in MUSTER_TRUST_PROXY writes what is no IP address into X-Forwarded-For, so limits by network cannot tell clients apart. Let it write addresses, with or without a port',
    ),
  ]
}

const judgeWrites = ({ refusedWrites }: DatabaseFacts): Finding =>
  refusedWrites === undefined ? ok('writes', 'taken') : failed('writes', refusedWrites)

function judgeAuditLog({ isAuditGuarded }: DatabaseFacts): Finding {
  if (isAuditGuarded) return ok('audit log', 'guarded against changes')
  return failed(
    'audit log',
    'a trigger that guards it is off: run `alter table audit_logs enable trigger user`, then `muster audit verify`',
  )
}

function judgeBackground(status: BackgroundStatus, hasWorked = false): Finding {
  const silence = describeSilence(status)
  if (silence === undefined) return ok('background', `${status.workers} working`)
  if (!hasWorked) return warning('background', `nothing is delivered and no deadline is kept yet. ${silence}`)
  return failed('background', `nothing is delivered and no deadline is kept. ${silence}`)
}

/** Every due moment is judged by the process's clock, and several processes share one database. */
function judgeClock(databaseMs: number, askedAtMs: number, answeredAtMs: number): Finding {
  const skewMs = Math.max(askedAtMs - databaseMs, databaseMs - answeredAtMs, 0)
  const detail = `${(skewMs / 1000).toFixed(1)} s apart from the database`
  if (skewMs > maxSkewMs) return failed('clock', `${detail}: set both machines' clocks by NTP`)
  return skewMs > muchSkewMs ? warning('clock', detail) : ok('clock', 'agrees with the database')
}

async function judgeMasterKey(config: Config, stored: string | undefined): Promise<Finding> {
  const isMade = config.masterKey !== undefined || existsSync(masterKeyFile(config.dataDir))
  if (stored === undefined) return ok('master key', 'not in use yet')
  if (!isMade) return failed('master key', `${masterKeyFile(config.dataDir)} is missing: restore it from a copy`)
  const { fingerprint } = openSecrets(await openMasterKey(config))
  if (fingerprint === stored) return ok('master key', `is the one of the database (fingerprint ${stored})`)
  return failed('master key', `has the fingerprint ${fingerprint}, but the database belongs to ${stored}`)
}
