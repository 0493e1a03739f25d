/** CRC-32 with the polynomial 04C11DB7, its highest bit first, which is not zlib's. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0)
  return crc >>> 0
})

/** The sum of POSIX's `cksum` (IEEE 1003.1), of bytes that come in pieces: that of the bytes and then of their count. */
export function posixCksum() {
  let crc = 0
  let length = 0

  function add(bytes: Uint8Array): void {
    let sum = crc
    for (let at = 0; at < bytes.length; at += 1)
      sum = (sum << 8) ^ (table[((sum >>> 24) ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
    crc = sum
  }

  return {
    update(bytes: Uint8Array): void {
      length += bytes.length
      add(bytes)
    },
    digest(): number {
      const count: number[] = []
      for (let left = length; left > 0; left = Math.floor(left / 256)) count.push(left & 0xff)
      add(Uint8Array.from(count))
      return ~crc >>> 0
    },
  }
}
