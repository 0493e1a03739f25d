/** `path` is `.` or begins with `./`; `mode` is the permission bits alone; `size` is in bytes, 0 for a folder. */
export type CpioEntry = { path: string; mode: number; isFolder: boolean; size: number }

type Header = { number: number; mode: number; links: number; mtime: number; name: string; size: number }

const folderType = 0o040000
const fileType = 0o100000
const blockSize = 512

function octal(what: string, value: number, digits: number): string {
  const text = value.toString(8)
  if (!Number.isSafeInteger(value) || value < 0 || text.length > digits) {
    throw new Error(`Too large for a cpio archive: ${what} ${value}`)
  }
  return text.padStart(digits, '0')
}

/**
 * A header of the "odc" form of cpio, which Apple's installer reads: the magic and ten numbers as octal text, 76 bytes,
 * then the name with a NUL (pax(1) of POSIX, "cpio Interchange Format"). Owner and group are root's. Nothing is padded.
 */
function headerBytes({ number, mode, links, mtime, name, size }: Header): Buffer {
  const fields = [
    '070707',
    octal('a device', 0, 6),
    octal('the number of an entry', number, 6),
    octal('a mode', mode, 6),
    octal('an owner', 0, 6),
    octal('a group', 0, 6),
    octal('the links', links, 6),
    octal('a special device', 0, 6),
    octal('a time', mtime, 11),
    octal('the length of a name', name.length + 1, 6),
    octal(`the size of ${name}:`, size, 11),
  ]
  return Buffer.from(`${fields.join('')}${name}\0`, 'latin1')
}

function checkEntry({ path, mode, isFolder, size }: CpioEntry): void {
  if (!/^\.(\/[\x20-\x7e]+)?$/.test(path)) throw new Error(`Not a name for a cpio archive: ${JSON.stringify(path)}`)
  if ((mode & ~0o7777) !== 0) throw new Error(`Not permission bits: 0o${mode.toString(8)} of ${path}`)
  if (isFolder && size !== 0) throw new Error(`A folder has no bytes of its own: ${path}`)
}

/**
 * What stands before the `size` bytes of an entry. `number` counts the entries from 1: two with the same one would be
 * the same file. `mtime` is in seconds.
 */
export function cpioHeader(entry: CpioEntry, number: number, mtime: number): Buffer {
  checkEntry(entry)
  const { path, mode, isFolder, size } = entry
  return headerBytes({
    number,
    mode: (isFolder ? folderType : fileType) | mode,
    links: isFolder ? 2 : 1,
    mtime,
    name: path,
    size,
  })
}

/** The end of an archive that has `size` bytes so far: the record that says so, and NUL up to a whole block of 512. */
export function cpioTrailer(size: number): Buffer {
  const record = headerBytes({ number: 0, mode: 0, links: 1, mtime: 0, name: 'TRAILER!!!', size: 0 })
  const filling = (blockSize - ((size + record.length) % blockSize)) % blockSize
  return Buffer.concat([record, Buffer.alloc(filling)])
}
