/** Deterministic choices: every value a simulated device shows is a hash of the seed and of what the value is for. */

/** A well-mixed 32-bit unsigned hash of a few integers (murmur3's mixing steps). */
export function hashOf(...parts: number[]): number {
  let hash = 0x9e3779b9
  for (const part of parts) {
    let word = Math.imul(part | 0, 0xcc9e2d51)
    word = (word << 15) | (word >>> 17)
    hash ^= Math.imul(word, 0x1b873593)
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** FNV-1a over UTF-16 units, for texts that name a check or a query. */
export function hashOfText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A hash as a fraction in [0, 1). */
export function fractionOf(...parts: number[]): number {
  return hashOf(...parts) / 0x1_0000_0000
}

/** One element of a list that is not empty. */
export function choose<T>(list: readonly [T, ...T[]], hash: number): T {
  return list[hash % list.length] ?? list[0]
}
