const largestId = 9_223_372_036_854_775_807n

/** True for an identifier as we write it: decimal, no sign, no leading zero, within 64 bits. */
export function isRecordId(text: string): boolean {
  return /^(?:0|[1-9]\d{0,18})$/.test(text) && (text.length < 19 || BigInt(text) <= largestId)
}

/** An identifier of a request body, which may be a string or an integer, as we write it. */
export function identifierOf(input: string | number): string {
  return typeof input === 'number' ? String(input) : input.replace(/^0+(?=\d)/, '')
}
