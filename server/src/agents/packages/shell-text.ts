/**
 * A value as one word of a POSIX shell (IEEE 1003.1 §2.2.2): nothing has a meaning between single quotes but the
 * quote that ends them. Throws on NUL, which no shell can hold.
 */
export function shellWord(value: string): string {
  if (value.includes('\0')) throw new Error('A shell word cannot hold NUL')
  return `'${value.replaceAll("'", `'\\''`)}'`
}
