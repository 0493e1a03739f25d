const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/** What is known of a JSON text before it is parsed. It counts, and does not judge whether the text is JSON. */
export type JsonScan = {
  /**
   * Reads on from `from` to `to` at most, in bytes, and ends behind the value with which the reading began. Where it
   * stopped: a value of digits or a word ends at the first byte that is not its own.
   */
  read: (bytes: Uint8Array, from: number, to: number) => number
  /** Whether the value has ended. */
  hasEnded: () => boolean
  /** How many lists and objects are inside each other at most, this value included. */
  depth: () => number
  /** How many lists and objects the value has, itself included. */
  containers: () => number
  /** At most so many members and elements, and itself: each but the first of its parent follows a comma. */
  values: () => number
}

/** Begins to read one value of a JSON text, at its first byte. */
export function scanJson(): JsonScan {
  let [depth, deepest, containers, commas] = [0, 0, 0, 0]
  let [isInText, isEscaped, hasEnded] = [false, false, false]

  function read(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) {
          isInText = false
          if (depth === 0) return end(at + 1)
        }
      } else if (byte === quote) {
        isInText = true
      } else if (byte === 0x5b || byte === 0x7b) {
        containers += 1
        depth += 1
        if (depth > deepest) deepest = depth
      } else if (byte === 0x5d || byte === 0x7d) {
        // Of a value without brackets it is those of its parent.
        if (depth === 0) return end(at)
        depth -= 1
        if (depth === 0) return end(at + 1)
      } else if (byte === comma) {
        if (depth === 0) return end(at)
        commas += 1
      } else if (depth === 0 && isBlank(byte)) {
        return end(at)
      }
    }
    return to
  }

  function end(at: number): number {
    hasEnded = true
    return at
  }

  return {
    read,
    hasEnded: () => hasEnded,
    depth: () => deepest,
    containers: () => containers,
    values: () => commas + containers + 1,
  }
}

/** White space of RFC 8259, section 2. */
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Where the next byte is that is no white space, or `to`. */
export function skipBlank(bytes: Uint8Array, from: number, to = bytes.length): number {
  let at = from
  while (at < to && isBlank(bytes[at])) at += 1
  return at
}

/** What a JSON text may have at most, so that parsing it takes time in proportion to its length. */
export type JsonLimits = { depth: number; containers: number; values: number }

/** Of one object of a long text. A thousand queries are answered at once, and a row has some hundred columns. */
export const maxMembers = 5_000

/** Of what agents send. */
export const agentLimits: JsonLimits = {
  /** osquery needs six levels, and values of any kind may be in a row. */
  depth: 12,
  /** Rows, and what is around them. Objects take most memory when each has names of its own. */
  containers: 200_000,
  /** 50,000 rows of 28 columns. */
  values: 1_500_000,
}

/** Of a request to the API, SCIM or the console. */
export const requestLimits: JsonLimits = { depth: 64, containers: 25_000, values: 100_000 }

/** Whether a JSON text has more of anything than it may. */
export function exceedsLimits(text: string | Buffer, limits: JsonLimits): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const scan = scanJson()
  scan.read(bytes, skipBlank(bytes, 0), bytes.length)
  return exceeds(scan, limits)
}

/** Whether what was read so far has more of anything than it may. */
export const exceeds = (scan: JsonScan, { depth, containers, values }: JsonLimits): boolean =>
  scan.depth() > depth || scan.containers() > containers || scan.values() > values
