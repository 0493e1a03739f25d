import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FieldError } from '@muster/contract/errors.ts'
import type { FastifyInstance } from 'fastify'
import { tooBusy } from '../base/errors.ts'
import { giveTurns } from '../base/jobs/give-turns.ts'
import { turnsByOrganization } from '../base/jobs/turns-by-organization.ts'
import { networkOf } from '../base/network-of.ts'
import { parseInTurns, smallBytes } from '../base/parse-in-turns.ts'
import { exceedsLimits, requestLimits } from '../base/scan-json.ts'
import { maxFaults, partsOf, unstorableIn } from '../base/storable.ts'
import { refuseOtherLetters } from './letters.ts'

/** A long body is parsed a piece at a time, and each piece takes some 10 ms: of so many bodies one after the other. */
const turnsOfLong = { atOnce: 2, maxWaiting: 1_000, maxWaitingOfOne: 100, maxWaitMs: 20_000 }

export type JsonBody =
  | { ok: unknown /** Where no database can hold it, 50 places at most. */; unstorable: readonly FieldError[] }
  | { fault: 'not_json' | 'too_large' }

declare module 'fastify' {
  interface FastifyInstance {
    parseJson: (request: FastifyRequest, bytes: Buffer) => Promise<JsonBody>
  }
}

/**
 * Parses the bodies of the API, SCIM and the console, as counted as those of agents, and refuses what is not plain UTF-8. Long
 * ones are read in turns, which organizations share.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const turns = turnsByOrganization(turnsOfLong, () =>
    tooBusy('Too many large bodies are being read. Try again in a few seconds.'),
  )
  app.decorate('parseJson', async (request, bytes) => {
    refuseOtherLetters(request, bytes)
    const text = withoutMark(bytes)
    if (text.length <= smallBytes) return readText(text)
    const organizationId = request.sender ?? `network ${networkOf(request.ip)}`
    const isGone = () => request.raw.socket.destroyed
    return turns.take({ organizationId, isGone }, async () => {
      const body = await readText(text)
      // One that was a single piece has given nobody else a turn.
      await nextTurn()
      return body
    })
  })
}

async function readText(bytes: Buffer): Promise<JsonBody> {
  // What is long is counted while it is parsed.
  if (bytes.length <= smallBytes && exceedsLimits(bytes, requestLimits)) return { fault: 'too_large' }
  const parsed = await parseInTurns(bytes, requestLimits)
  if (!('ok' in parsed)) return parsed
  return suspicious.test(bytes.toString('utf8')) ? judge(parsed.ok) : { ...parsed, unstorable: [] }
}

/** Escapes, which may be of NUL or of half a surrogate pair, and names that stand for the prototype of an object. */
const suspicious = /\\u|"__proto__"|"constructor"/

async function judge(body: unknown): Promise<JsonBody> {
  const unstorable: FieldError[] = []
  const giveTurn = giveTurns()
  for (const [path, part] of partsOf(body)) {
    if (isForbidden(part)) return { fault: 'not_json' }
    unstorable.push(...unstorableIn(path, part))
    if (unstorable.length >= maxFaults) break
    const turn = giveTurn()
    if (turn) await turn
  }
  return { ok: body, unstorable }
}

/** As the parser of the framework has it: what would set a prototype where it is copied. */
function isForbidden(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  if (Object.hasOwn(part, '__proto__')) return true
  const own: unknown = Object.hasOwn(part, 'constructor') ? Reflect.get(part, 'constructor') : undefined
  return typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype')
}

const byteOrderMark = Buffer.from('\ufeff')

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes
