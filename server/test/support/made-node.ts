import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { packTar } from 'modern-tar'

type Made = { version?: string; interpreter?: string; libraries?: string; bytes?: number }

/** What stands where in the first page of an executable, by ELF, Mach-O and PE. */
const heads: Readonly<Record<RuntimeSystem, (head: Buffer) => void>> = {
  'linux-x64': (head) => elf(head, 0x3e),
  'linux-arm64': (head) => elf(head, 0xb7),
  'darwin-x64': (head) => machO(head, 0x01000007),
  'darwin-arm64': (head) => machO(head, 0x0100000c),
  'win-x64': (head) => pe(head, 0x8664),
  'win-arm64': (head) => pe(head, 0xaa64),
}

function elf(head: Buffer, machine: number): void {
  head.write('\x7fELF', 'latin1')
  head.writeUInt16LE(machine, 18)
}

function machO(head: Buffer, cputype: number): void {
  head.writeUInt32LE(0xfeedfacf, 0)
  head.writeUInt32LE(cputype, 4)
  // Two load commands: a segment, and LC_BUILD_VERSION for macOS 13.5.
  for (const [at, word] of [2, 24 + 72, 0, 0, 0x19, 72].entries()) head.writeUInt32LE(word, 16 + 4 * at)
  for (const [at, word] of [0x32, 24, 1, 0x000d0500, 0x000d0500, 0].entries()) head.writeUInt32LE(word, 104 + 4 * at)
}

function pe(head: Buffer, machine: number): void {
  head.write('MZ', 'latin1')
  head.writeUInt32LE(0x78, 0x3c)
  head.write('PE\0\0', 0x78, 'latin1')
  head.writeUInt16LE(machine, 0x7c)
}

/**
 * Bytes that look like Node's executable for a system, as far as Muster looks, and cannot be compressed. The version stands across
 * the end of 64 KiB, which is how much a stream of a file reads at a time.
 */
export function madeNode(system: RuntimeSystem, made: Made = {}): Buffer {
  const { version = '26.1.0', interpreter = '/lib/ld-linux-aarch64.so.1', libraries = '', bytes = 3 << 20 } = made
  const whole = Buffer.alloc(bytes)
  for (let at = 4096; at < bytes; at += 32)
    createHash('sha256').update(`${system} ${version} ${at}`).digest().copy(whole, at)
  heads[system](whole)
  whole.write(interpreter, 512, 'latin1')
  whole.write(`${libraries}\0`, 1024, 'latin1')
  whole.write(`/download/release/v${version}/node-v${version}-headers.tar.gz\0`, 65_536 - 40, 'latin1')
  return whole
}

/** As npm and nodejs.org pack it: below one folder, with other files before and after. */
export async function packedNode(executable: Buffer, { path = 'bin/node', license = 'Node’s license' } = {}) {
  const file = (name: string, body: string | Buffer) => {
    const bytes = Buffer.from(body)
    return { header: { name: `package/${name}`, type: 'file' as const, size: bytes.length, mode: 0o755 }, body: bytes }
  }
  const entries = [
    file('package.json', '{}'),
    file(path, executable),
    ...(license === '' ? [] : [file('LICENSE', license)]),
    file('share/doc/node/LICENSE', 'of something else'),
  ]
  return gzipSync(await packTar(entries))
}

/** In hexadecimal. */
export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
