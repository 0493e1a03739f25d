/** The first part of a token by this key, byte for byte: of a security event unless its type is said. */
export const headerOf = (kid: string, type = 'secevent+jwt'): string =>
  Buffer.from(JSON.stringify({ alg: 'RS256', kid, typ: type })).toString('base64url')

/** The key that a token of ours names. */
export function kidOf(token: string): string {
  const { kid } = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString())
  return String(kid)
}
