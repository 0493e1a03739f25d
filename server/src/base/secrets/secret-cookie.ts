export type SecretCookie = {
  read(header: string | undefined): string | undefined
  /** The header that gives a browser the secret. */
  give(secret: string): string
  /** The header that takes it away. */
  readonly clear: string
}

/**
 * Over https a `__Host-` cookie: for this origin only, never in plain text. Over http, which is for a trial on the machine
 * itself, one without Secure, because not every browser keeps a secure cookie of http://localhost.
 */
export function secretCookie(
  baseUrl: string,
  { name: plainName, seconds, form }: { name: string; seconds: number; form: RegExp },
): SecretCookie {
  const isSecure = baseUrl.startsWith('https:')
  const name = isSecure ? `__Host-${plainName}` : plainName
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read(header = '') {
      const found = header.split(';').flatMap((pair) => {
        const [key = '', value = ''] = pair.split('=', 2)
        return key.trim() === name ? [value.trim()] : []
      })
      // Two of one name: someone else has set one of them.
      return found.length === 1 && form.test(found[0] ?? '') ? found[0] : undefined
    },
    give: (secret) => `${name}=${secret}; Max-Age=${seconds}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  }
}
