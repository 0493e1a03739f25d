type Json = Readonly<Record<string, unknown>>

function partOf(token: string, index: 0 | 1): Json | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytesOf(token.split('.')[index] ?? '')))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Json) : undefined
  } catch {
    return undefined
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

const indented = (value: Json | undefined, token: string): string =>
  value === undefined ? token : JSON.stringify(value, null, 2)

/** The payload of a signed token, indented; the token itself when it is none. */
export const decodeToken = (token: string): string => indented(partOf(token, 1), token)

export const decodeHeader = (token: string): string => indented(partOf(token, 0), token)

/** Which key signed, and how. */
export function signingOf(token: string): { readonly kid: string; readonly alg: string } {
  const header = partOf(token, 0)
  return { kid: String(header?.['kid'] ?? ''), alg: String(header?.['alg'] ?? '') }
}

/** Why it came about, in the words for administrators; undefined where the event says none. */
export function reasonIn(claims: Json): string | undefined {
  const events = claims['events']
  if (typeof events !== 'object' || events === null) return undefined
  for (const event of Object.values(events as Json)) {
    const reason = typeof event === 'object' && event !== null ? (event as Json)['reason_admin'] : undefined
    const text = typeof reason === 'object' && reason !== null ? (reason as Json)['en'] : reason
    if (typeof text === 'string') return text
  }
  return undefined
}

/** Checks the signature in the browser; undefined where it has no means to, as over plain http. */
export async function isSignedBy(token: string, keys: readonly JsonWebKey[]): Promise<boolean | undefined> {
  if (!isSecureContext) return undefined
  const { kid, alg } = signingOf(token)
  const jwk = keys.find((key) => (key as { kid?: string }).kid === kid)
  if (alg !== 'RS256' || !jwk) return false
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, rsa, false, ['verify'])
  const [signed, signature] = [token.slice(0, token.lastIndexOf('.')), token.slice(token.lastIndexOf('.') + 1)]
  return crypto.subtle.verify(rsa, key, bytesOf(signature), new TextEncoder().encode(signed))
}
