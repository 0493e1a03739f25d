/** LC_BUILD_VERSION of <mach-o/loader.h>: command, size, platform, lowest system. */
const buildVersion = 0x32
const macos = 1
const headerBytes = 32
const magic64 = 0xfeedfacf

/**
 * The lowest macOS that an executable runs on, such as `13.5`, by the load commands in its first page. Undefined where
 * none says so, and of anything but an executable for one processor of 64 bits.
 */
export function lowestMacosOf(head: Buffer): string | undefined {
  if (head.length < headerBytes || head.readUInt32LE(0) !== magic64) return undefined
  const commands = head.readUInt32LE(16)
  for (let at = headerBytes, count = 0; count < commands && at + 16 <= head.length; count += 1) {
    const [command, size] = [head.readUInt32LE(at), head.readUInt32LE(at + 4)]
    if (command === buildVersion && head.readUInt32LE(at + 8) === macos) return versionOf(head.readUInt32LE(at + 12))
    if (size < 8) return undefined
    at += size
  }
  return undefined
}

/** X.Y.Z is written in nibbles, as xxxx.yy.zz. */
const versionOf = (packed: number): string => `${packed >>> 16}.${(packed >>> 8) & 0xff}`
