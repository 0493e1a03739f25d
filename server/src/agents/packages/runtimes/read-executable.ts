import { createHash } from 'node:crypto'

/** What packages have to know of an executable of Node that they bring. */
export type ExecutableFacts = {
  /** In hexadecimal, as `md5`. */
  sha256: string
  md5: string
  /** In bytes. */
  size: number
  /** Its first page. */
  head: Buffer
  /** Of Node; undefined where it is another program. */
  version: string | undefined
  /** Whether it is linked with GCC's library of atomic operations, which is a package of its own on Debian. */
  needsLibatomic: boolean
}

/** In bytes: what tells the system of an executable stands in its first page. */
const headBytes = 4096
/** Every Node holds the address where its headers are. */
const versionText = /node-v(\d+\.\d+\.\d+)-headers\.tar\.gz/
const libatomic = 'libatomic.so.1\0'
/** Longer than what is looked for, so that it is found across the end of a piece. */
const overlap = 64

/** Passes the bytes of an executable through, and afterwards says what they are. */
export function executableReader() {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  const facts: Omit<ExecutableFacts, 'sha256' | 'md5'> = {
    size: 0,
    head: Buffer.alloc(0),
    version: undefined,
    needsLibatomic: false,
  }
  let tail = Buffer.alloc(0)

  function take(bytes: Buffer): void {
    sha256.update(bytes)
    md5.update(bytes)
    facts.size += bytes.length
    if (facts.head.length < headBytes) facts.head = Buffer.concat([facts.head, bytes]).subarray(0, headBytes)
    const joined = Buffer.concat([tail, bytes])
    facts.version ??= versionIn(joined)
    facts.needsLibatomic ||= joined.includes(libatomic, 0, 'latin1')
    tail = Buffer.from(joined.subarray(-overlap))
  }

  return {
    async *pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
      for await (const piece of source) {
        const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        take(bytes)
        yield bytes
      }
    },
    facts: (): ExecutableFacts => ({ ...facts, sha256: sha256.digest('hex'), md5: md5.digest('hex') }),
  }
}

/** Regular expressions are for text: only what is around a find becomes some. */
function versionIn(bytes: Buffer): string | undefined {
  const at = bytes.indexOf('-headers.tar.gz', 0, 'latin1')
  if (at < 0) return undefined
  return versionText.exec(bytes.toString('latin1', Math.max(0, at - overlap), at + overlap))?.[1]
}
