export type CpioEntry = {
  /** `.`, or one that begins with `./`. */
  path: string
  /** Permission bits. */
  mode: number
  isFolder: boolean
  /** In bytes; 0 of a folder. */
  size: number
}

const folderType = 0o040000
const fileType = 0o100000
const blockSize = 512

function octal(value: number, width: number): string {
  const text = value.toString(8)
  if (text.length > width) throw new Error(`${value} does not fit into a cpio archive`)
  return text.padStart(width, '0')
}

/**
 * What comes before the bytes of an entry of the form "odc" (POSIX.1-1988 §10.1.2): owned by root, `number` being its own in the
 * archive. `mtime` is in seconds.
 */
export function cpioHeader({ path, mode, isFolder, size }: CpioEntry, number: number, mtime: number): Buffer {
  if (!/^[\x20-\x7e]+$/.test(path)) throw new Error(`Not a name for a file of a package: ${path}`)
  return header({
    name: path,
    number,
    mode: mode | (isFolder ? folderType : fileType),
    links: isFolder ? 2 : 1,
    mtime,
    size,
  })
}

type Header = { name: string; number: number; mode: number; links: number; mtime: number; size: number }

function header({ name, number, mode, links, mtime, size }: Header): Buffer {
  const [device, owner, group, special] = [0, 0, 0, 0]
  const numbers = [device, number, mode, owner, group, links, special].map((value) => octal(value, 6)).join('')
  const rest = `${octal(mtime, 11)}${octal(name.length + 1, 6)}${octal(size, 11)}`
  return Buffer.from(`070707${numbers}${rest}${name}\0`, 'latin1')
}

/** The end of an archive of so many bytes, which fills its last block. */
export function cpioTrailer(size: number): Buffer {
  const end = header({ name: 'TRAILER!!!', number: 0, mode: 0, links: 1, mtime: 0, size: 0 })
  const total = Math.ceil((size + end.length) / blockSize) * blockSize
  return Buffer.concat([end], total - size)
}
