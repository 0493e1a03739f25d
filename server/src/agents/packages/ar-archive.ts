export type ArMember = { name: string; size: number }

const magic = '!<arch>\n'

/**
 * The header of a member of an `ar` archive as Debian packages have it (deb(5), ar(5)): text in fixed columns, owner
 * root, mode 644. `mtime` is in seconds. What follows is `size` bytes, and a line feed where that is odd.
 */
function memberHeader({ name, size }: ArMember, mtime: number): string {
  if (!/^[\w.-]{1,16}$/.test(name)) throw new Error(`Not a name for a member of an archive: ${name}`)
  const columns: [text: string | number, width: number][] = [
    [name, 16],
    [mtime, 12],
    [0, 6],
    [0, 6],
    ['100644', 8],
    [size, 10],
  ]
  return `${columns.map(([text, width]) => String(text).padEnd(width)).join('')}\`\n`
}

/** The bytes before a member's own, `isFirst` with the archive's magic, and the padding behind them. */
export function arMember(member: ArMember, mtime: number, isFirst: boolean): { before: Buffer; after: Buffer } {
  const before = Buffer.from(`${isFirst ? magic : ''}${memberHeader(member, mtime)}`, 'latin1')
  return { before, after: Buffer.from(member.size % 2 === 1 ? '\n' : '') }
}
