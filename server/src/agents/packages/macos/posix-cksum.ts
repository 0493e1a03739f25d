// The CRC of POSIX's `cksum` command: the polynomial 0x04c11db7, most significant bit first, from 0, with the length
// behind the bytes, inverted. It is not the CRC-32 of zlib and gzip, which shifts the other way.
// https://pubs.opengroup.org/onlinepubs/9699919799/utilities/cksum.html

const polynomial = 0x04c11db7

/** Eight tables of 256: in table k, what a byte comes to when k zero bytes follow it. */
const tables = slicingTables()

function slicingTables(): Int32Array {
  const all = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ polynomial : crc << 1
    all[byte] = crc
  }
  for (let at = 256; at < all.length; at++) {
    const before = all[at - 256] ?? 0
    all[at] = (before << 8) ^ (all[before >>> 24] ?? 0)
  }
  return all
}

const tableEntry = (table: number, byte: number): number => tables[table * 256 + byte] ?? 0

const addByte = (crc: number, byte: number): number => (crc << 8) ^ tableEntry(0, (crc >>> 24) ^ byte)

/** Eight bytes a round ("slicing by 8"): byte by byte, an executable of 150 MB takes four times as long. */
function addBytes(start: number, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const whole = bytes.length - (bytes.length % 8)
  let crc = start
  for (let at = 0; at < whole; at += 8) {
    const high = crc ^ view.getInt32(at)
    const low = view.getInt32(at + 4)
    crc =
      tableEntry(7, high >>> 24) ^
      tableEntry(6, (high >>> 16) & 255) ^
      tableEntry(5, (high >>> 8) & 255) ^
      tableEntry(4, high & 255) ^
      tableEntry(3, low >>> 24) ^
      tableEntry(2, (low >>> 16) & 255) ^
      tableEntry(1, (low >>> 8) & 255) ^
      tableEntry(0, low & 255)
  }
  for (let at = whole; at < bytes.length; at++) crc = addByte(crc, view.getUint8(at))
  return crc
}

/** The checksum that `cksum` prints, of bytes that come piece by piece. `digest` may be asked for at any time. */
export function posixCksum(): { update(bytes: Uint8Array): void; digest(): number } {
  let crc = 0
  let length = 0
  return {
    update: (bytes) => {
      crc = addBytes(crc, bytes)
      length += bytes.length
    },
    digest: () => {
      let whole = crc
      // The length in as few bytes as it needs, the lowest first. No shifts: they would cut it to 32 bits.
      for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) whole = addByte(whole, rest % 256)
      return ~whole >>> 0
    },
  }
}
