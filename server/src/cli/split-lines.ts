const newline = 10

/** The lines of a byte stream without their newlines; the last one may lack it. Throws on a line that is too long. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let held = 0
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      yield parts.length === 0 ? rest.subarray(0, end) : Buffer.concat([...parts, rest.subarray(0, end)])
      parts = []
      held = 0
      rest = rest.subarray(end + 1)
    }
    if (rest.length === 0) continue
    parts.push(rest)
    held += rest.length
    if (held > maxBytes) throw new Error(`A line is longer than ${maxBytes} bytes`)
  }
  if (held > 0) yield Buffer.concat(parts)
}
