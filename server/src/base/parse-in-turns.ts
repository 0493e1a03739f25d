import { setImmediate as nextTurn } from 'node:timers/promises'
import { exceeds, type JsonLimits, maxMembers, scanJson, skipBlank } from './scan-json.ts'

const kibibyte = 1024
/** What is no longer is parsed at once: it takes a few milliseconds, whatever it is. */
export const smallBytes = 64 * kibibyte
const scannedAtOnce = 1024 * kibibyte
/** In values of other objects' names, which take 1 µs each; so long a text takes as much as one. */
const costAtOnce = 10_000
const bytesPerCost = 200

export type Parsed = { ok: unknown } | { fault: 'not_json' | 'too_large' }

class TooLarge extends Error {}

/** Yields where others may have their turn. */
type Steps<Result> = Generator<void, Result>

/**
 * Parses a JSON text. A long one is counted first, so that no text takes memory out of proportion, and parsed piece by piece,
 * with a turn of the event loop for everyone else in between.
 */
export async function parseInTurns(bytes: Buffer, limits: JsonLimits): Promise<Parsed> {
  try {
    if (bytes.length <= smallBytes) return { ok: parseText(bytes, 0, bytes.length) }
    const steps = parseSteps(bytes, limits)
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      await nextTurn()
    }
  } catch (error) {
    if (error instanceof TooLarge) return { fault: 'too_large' }
    if (error instanceof SyntaxError) return { fault: 'not_json' }
    throw error
  }
}

function* parseSteps(bytes: Buffer, limits: JsonLimits): Steps<Parsed> {
  const from = skipBlank(bytes, 0)
  const whole = yield* scanValue(bytes, from, limits)
  if (skipBlank(bytes, whole.to) < bytes.length) return { fault: 'not_json' }
  return { ok: yield* parseValue(bytes, from, whole.to) }
}

/** Where the value at `from` ends, and what it costs to parse it. */
function* scanValue(bytes: Buffer, from: number, limits?: JsonLimits): Steps<{ to: number; cost: number }> {
  const scan = scanJson()
  for (let at = from; ; ) {
    at = scan.read(bytes, at, Math.min(at + scannedAtOnce, bytes.length))
    if (limits && exceeds(scan, limits)) throw new TooLarge()
    if (scan.hasEnded() || at === bytes.length) return { to: at, cost: scan.values() + (at - from) / bytesPerCost }
    yield
  }
}

const [comma, colon] = [0x2c, 0x3a]
const brackets = { list: { opening: 0x5b, closing: 0x5d }, object: { opening: 0x7b, closing: 0x7d } } as const

/** The value between `from` and `to`. */
function* parseValue(bytes: Buffer, from: number, to: number): Steps<unknown> {
  if (bytes[from] === brackets.list.opening) return yield* parseMembers(bytes, from, to, list)
  if (bytes[from] === brackets.object.opening) return Object.fromEntries(yield* parseMembers(bytes, from, to, object))
  return parseText(bytes, from, to)
}

/** How the members of one kind of value are read. */
type Kind<Member> = {
  closing: number
  hasNames: boolean
  most: number
  /** JSON.parse judges what a piece is made of: only its brackets, commas and quotes have been looked at. */
  parse: (text: string) => Member[]
  /** A member of which the value was parsed apart; `nameText` is what is before the value. */
  of: (nameText: string, value: unknown) => Member
}

const list: Kind<unknown> = {
  closing: brackets.list.closing,
  hasNames: false,
  most: Number.POSITIVE_INFINITY,
  parse: (text) => JSON.parse(`[${text}]`),
  of: (_, value) => value,
}

const object: Kind<[string, unknown]> = {
  closing: brackets.object.closing,
  hasNames: true,
  most: maxMembers,
  parse: (text) => Object.entries(JSON.parse(`{${text}}`)),
  of: (nameText, value) => [Object.keys(JSON.parse(`{${nameText}0}`))[0] ?? '', value],
}

function* parseMembers<Member>(bytes: Buffer, from: number, to: number, kind: Kind<Member>): Steps<Member[]> {
  const members: Member[] = []
  let piece: Piece | undefined
  let count = 0
  let at = skipBlank(bytes, from + 1)
  for (let isLast = at === to - 1; !isLast; ) {
    const member = yield* scanMember(bytes, at, kind.hasNames)
    count += 1
    if (count > kind.most) throw new TooLarge()
    if (piece && piece.cost + member.cost > costAtOnce) {
      members.push(...kind.parse(bytes.toString('utf8', piece.from, piece.to)))
      piece = undefined
      yield
    }
    if (member.cost > costAtOnce) {
      const value = yield* parseValue(bytes, member.valueFrom, member.to)
      members.push(kind.of(bytes.toString('utf8', at, member.valueFrom), value))
    } else piece = { from: piece?.from ?? at, to: member.to, cost: member.cost + (piece?.cost ?? 0) }
    const end = skipBlank(bytes, member.to)
    isLast = bytes[end] !== comma
    at = isLast ? end : skipBlank(bytes, end + 1)
  }
  if (piece) members.push(...kind.parse(bytes.toString('utf8', piece.from, piece.to)))
  if (at !== to - 1 || bytes[at] !== kind.closing) throw new SyntaxError('A bracket is missing')
  return members
}

/** Members that follow each other in the text. */
type Piece = { from: number; to: number; cost: number }
type ScannedMember = { valueFrom: number; to: number; cost: number }

function* scanMember(bytes: Buffer, from: number, hasName: boolean): Steps<ScannedMember> {
  let valueFrom = from
  if (hasName) {
    const name = yield* scanValue(bytes, from)
    const colonAt = skipBlank(bytes, name.to)
    if (bytes[colonAt] !== colon) throw new SyntaxError('A colon is missing')
    valueFrom = skipBlank(bytes, colonAt + 1)
  }
  const { to, cost } = yield* scanValue(bytes, valueFrom)
  return { valueFrom, to, cost: cost + (valueFrom - from) / bytesPerCost }
}

const parseText = (bytes: Buffer, from: number, to: number): unknown => JSON.parse(bytes.toString('utf8', from, to))
