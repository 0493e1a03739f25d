import { setTimeout as pause } from 'node:timers/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { type CheckInAnswer, trustOf } from '../../companion/check-in-answer.ts'
import type { CompanionState } from '../../companion/companion-state.ts'
import { prover } from '../../companion/prove.ts'
import { type Operation, signedRequests } from '../../companion/signed-requests.ts'
import type { Transport } from '../../protocol/open-transport.ts'
import { isRecord } from '../agent-answer.ts'
import { type QueryResult, writeBody } from '../answer-queries.ts'
import { type DeviceProfile, deviceProfile, usualWeights } from '../device-profile.ts'
import { enrollBody, simulatedVersion } from '../enroll-body.ts'
import { genericTables } from '../generic-tables.ts'
import { fillTemplate } from '../identity-template.ts'
import type { QueryAnswers } from '../query-answers.ts'
import { runSql } from '../run-sql.ts'
import { isLaptopCheck, type LaptopKind, laptopModels } from './sign-in-setup.ts'

/** What a laptop keeps from one run to the next. */
export type LaptopMemory = { nodeKey: string; kid: string; privateJwk: JWK }

export type LaptopParts = {
  transport: Transport
  server: string
  enrollSecret: string
  answers: QueryAnswers
  startedAtSeconds: number
}

export type Laptop = Awaited<ReturnType<typeof openLaptop>>

/** A laptop has so much to answer after it has enrolled. */
const maxRounds = 20
/** Another process of the server hears within half a second that a node is asked. */
const linkRoundMs = 300
/** What the names begin with under which a node is asked for the files of its companion. */
const linkQueries = 'link/'

/**
 * A simulated laptop with the bundled agent: its osquery node enrolls, its companion brings the node key along, and the
 * checks that are due have their answers when this resolves.
 */
export async function openLaptop(
  parts: LaptopParts,
  { seed, index, kind }: { seed: number; index: number; kind: LaptopKind },
  known?: LaptopMemory,
) {
  const profile = profileOf(seed, index, kind)
  const memory = known ?? (await enrollNode(parts, profile))
  const { transport, server } = parts
  const { kid, privateJwk, nodeKey } = memory
  let state: CompanionState = { server, kid, privateJwk, trust: undefined }
  let linkFile: string | undefined
  const proofs = prover()
  const send = signedRequests(transport)

  async function call(operation: Operation, fields: Record<string, unknown>) {
    const outcome = await send(state, operation, fields)
    if (outcome.kind !== 'accepted') throw new Error(`companion ${operation}: ${outcome.message}`)
    return outcome.body as CheckInAnswer
  }

  /** Once more with every run: the key stays, and the server hands out a new epoch. */
  async function enrollCompanion(): Promise<void> {
    const { uuid, serial, hostname, platform } = profile
    const facts = { hardware_uuid: uuid, hardware_serial: serial, hostname, platform, agent_version: simulatedVersion }
    const answer = await call('enroll', {
      ...{ enroll_secret: parts.enrollSecret, is_bundled: true, node_key: nodeKey },
      ...facts,
    })
    take(answer)
    // Outside of a trial the node has to report the file.
    for (let round = 0, { status } = answer; status === 'linking'; round += 1) {
      if (round === maxRounds) {
        throw new Error(
          'the companion was not linked to its node; where an earlier run had this seed, give another --seed',
        )
      }
      await pause(linkRoundMs)
      await answerNode()
      ;({ status } = take(await checkIn()))
    }
  }

  function take(answer: CheckInAnswer): CheckInAnswer {
    linkFile = answer.link?.by === 'file' ? answer.link.name : undefined
    state = { ...state, trust: trustOf(answer) }
    return answer
  }

  const checkIn = () =>
    call('check_in', {
      ...{ agent_version: simulatedVersion, port: null, taken_ports: [], wait_seconds: 0 },
      epoch: state.trust?.epoch ?? null,
    })

  /** Answers what the osquery node is asked, until nothing is left. */
  async function answerNode(): Promise<void> {
    for (let round = 0; round < maxRounds; round += 1) {
      const read = await post(transport, 'distributed/read', JSON.stringify({ node_key: nodeKey }), nodeKey)
      const queries = Object.entries(isRecord(read['queries']) ? read['queries'] : {})
      if (queries.length === 0) return
      const results = queries.map(([name, sql]) =>
        name.startsWith(linkQueries)
          ? answerLink({ name, sql: String(sql) }, linkFile)
          : answerQuery(parts, profile, name, String(sql)),
      )
      await post(transport, 'distributed/write', writeBody(nodeKey, results), nodeKey)
    }
  }

  /** Answers what the companion is asked over its channel: the checks that someone waits for. */
  async function answerChannel(): Promise<number> {
    const answer = take(await checkIn())
    const results = answer.queries.map(({ name, sql }) => {
      const { rowsJson, status, messageJson } = answerQuery(parts, profile, name, sql)
      return status === 0 ? { name, rows: JSON.parse(rowsJson) } : { name, error: JSON.parse(messageJson) }
    })
    if (results.length > 0) await call('results', { results })
    return results.length
  }

  const asked = { peer: async () => ({ uid: 1000, program: 'chrome' }), people: async () => 1 }
  async function prove(challenge: string): Promise<string | undefined> {
    const answer = await proofs(state, { challenge, via: 'fetch', ...asked })
    return 'proof' in answer ? answer.proof : undefined
  }

  await enrollCompanion()
  await answerNode()
  return {
    kind,
    memory,
    answerNode,
    answerChannel,
    prove,
  }
}

/** As of a companion that runs as root, or as SYSTEM. */
function answerLink({ name, sql }: { name: string; sql: string }, file: string | undefined): QueryResult {
  const path = /path = '([^']+)'/.exec(sql)?.[1] ?? ''
  const [separator, uid] = path.includes('\\') ? ['\\', '18'] : ['/', '0']
  const folder = { path, type: 'directory', mode: '0700', uid, gid: uid }
  const files =
    file === undefined ? [] : [{ ...folder, path: `${path}${separator}${file}`, type: 'regular', mode: '0600' }]
  return {
    nameJson: JSON.stringify(name),
    rowsJson: JSON.stringify([folder, ...files]),
    status: 0,
    messageJson: '""',
    costMs: 1,
  }
}

function profileOf(seed: number, index: number, kind: LaptopKind): DeviceProfile {
  const profile = deviceProfile(seed, index, usualWeights)
  return { ...profile, hardware: { ...profile.hardware, model: laptopModels[kind] } }
}

async function enrollNode({ transport, ...parts }: LaptopParts, profile: DeviceProfile): Promise<LaptopMemory> {
  const answer = await post(transport, 'enroll', enrollBody(profile, parts.enrollSecret, parts.startedAtSeconds))
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const privateJwk = await exportJWK(privateKey)
  return { nodeKey: String(answer['node_key']), kid: await calculateJwkThumbprint(privateJwk), privateJwk }
}

async function post(transport: Transport, call: string, json: string, nodeKey?: string) {
  const outcome = await transport.post(`/api/v1/osquery/${call}`, json, nodeKey)
  if (outcome.kind !== 'accepted') throw new Error(`osquery ${call}: ${outcome.message}`)
  return outcome.body
}

/** Checks of simulated sign-ins say what the laptop is; all others pass. */
function answerQuery(
  { answers, startedAtSeconds }: LaptopParts,
  profile: DeviceProfile,
  name: string,
  sql: string,
): QueryResult {
  const shared = { nameJson: JSON.stringify(name), costMs: 1 }
  if (isLaptopCheck(sql)) {
    const { rows, message } = runSql(sql, profile.platform, genericTables(profile, startedAtSeconds))
    const messageJson = JSON.stringify(message)
    return { ...shared, rowsJson: JSON.stringify(rows), status: message === '' ? 0 : 1, messageJson }
  }
  const answer = answers.answerTo(sql, profile)
  if (answer.kind === 'check') {
    return { ...shared, rowsJson: fillTemplate(answer.passRows, profile), status: 0, messageJson: '""' }
  }
  const { messageJson } = answer
  return { ...shared, rowsJson: fillTemplate(answer.rows, profile), status: messageJson === '""' ? 0 : 1, messageJson }
}
