import { setImmediate as nextTurn } from 'node:timers/promises'
import { type JsonLimits, maxMembers, skipBlank } from './scan-json.ts'

const scannedAtOnce = 2 ** 20
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openingList, closingList, openingObject, closingObject] = [0x5b, 0x5d, 0x7b, 0x7d]
/** What is inside a member of a member is kept whole or not at all. */
const cutDepth = 2

/** Where the text can end, and the brackets that are open there, in the order in which they close. */
type End = { at: number; closing: readonly number[] }

/**
 * Makes a JSON object of the beginning of one, which may stop anywhere: its longest beginning within `limits` that ends behind a
 * whole member, or behind a whole element or member of one, and the brackets that are missing. A number, word or text is whole
 * once the comma or bracket behind it is there. Empty where no object begins; what is no JSON inside stays so. Long texts are
 * read a MiB at a time, with a turn of the event loop for everyone else in between.
 */
export async function closeCut(bytes: Buffer, limits: JsonLimits): Promise<Buffer> {
  const from = skipBlank(bytes, 0)
  if (bytes[from] !== openingObject) return Buffer.alloc(0)
  const scan = scanCut(limits)
  for (let at = from; at < bytes.length && !scan.hasEnded(); at += scannedAtOnce) {
    if (at > from) await nextTurn()
    scan.read(bytes, at, Math.min(at + scannedAtOnce, bytes.length))
  }
  const { at, closing } = scan.lastEnd()
  return Buffer.concat([bytes.subarray(from, at), Uint8Array.from(closing)])
}

/** Looks for the last end of an object, from its first byte on. */
function scanCut(limits: JsonLimits) {
  /** Of each value that is open: its closing bracket, and how many commas it has. */
  const closing: number[] = []
  const commas: number[] = []
  let [containers, allCommas] = [0, 0]
  let [isInText, isEscaped, hasEnded] = [false, false, false]
  let end: End = { at: 0, closing: [] }

  function canEnd(at: number): void {
    if (closing.length <= cutDepth) end = { at, closing: closing.toReversed() }
  }

  function open(at: number, closingBracket: number): void {
    containers += 1
    closing.push(closingBracket)
    commas.push(0)
    if (closing.length > limits.depth || isBeyond()) hasEnded = true
    else canEnd(at + 1)
  }

  function close(at: number, closingBracket: number): void {
    if (closing.at(-1) !== closingBracket) {
      hasEnded = true
      return
    }
    closing.pop()
    commas.pop()
    hasEnded = closing.length === 0
    canEnd(at + 1)
  }

  function separate(at: number): void {
    canEnd(at)
    allCommas += 1
    const own = (commas.pop() ?? 0) + 1
    commas.push(own)
    if (isBeyond() || (own >= maxMembers && closing.at(-1) === closingObject)) hasEnded = true
  }

  /** As `exceeds` of scan-json.ts counts. */
  const isBeyond = (): boolean => containers > limits.containers || allCommas + containers + 1 > limits.values

  function read(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && !hasEnded; at += 1) {
      const byte = bytes[at] as number
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isInText = false
      } else if (byte === quote) isInText = true
      else if (byte === comma) separate(at)
      else if (byte === openingList) open(at, closingList)
      else if (byte === openingObject) open(at, closingObject)
      else if (byte === closingList || byte === closingObject) close(at, byte)
    }
  }

  return { read, hasEnded: () => hasEnded, lastEnd: () => end }
}
