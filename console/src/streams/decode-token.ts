/** The payload of a signed token, indented; the token itself when it is none. */
export function decodeToken(token: string): string {
  try {
    const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.codePointAt(0) ?? 0)
    return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2)
  } catch {
    return token
  }
}
