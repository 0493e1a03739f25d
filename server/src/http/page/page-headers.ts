/** What a page may load, and what holds its script, by the directives of Content Security Policy Level 3. */
type Allowed = Readonly<
  Partial<
    Record<
      | 'script-src'
      | 'style-src'
      | 'style-src-attr'
      | 'img-src'
      | 'font-src'
      | 'connect-src'
      | 'require-trusted-types-for'
      | 'trusted-types',
      string
    >
  >
>

/** Where its forms lead: nowhere unless said. `anywhere`: browsers hold the redirects of a receiver to the directive too. */
type Forms = { forms?: string }

/**
 * The headers of a page: it loads nothing but what is allowed, lies in no frame, and tells no other address where someone was.
 */
export function pageHeaders({ forms = "'none'", ...allowed }: Allowed & Forms = {}): Record<string, string> {
  const directives = Object.entries(allowed).map(([name, value]) => `${name} ${value}`)
  const policy = [
    "default-src 'none'",
    ...directives,
    "base-uri 'none'",
    ...(forms === 'anywhere' ? [] : [`form-action ${forms}`]),
    "frame-ancestors 'none'",
  ]
  return { 'content-security-policy': policy.join('; '), 'referrer-policy': 'no-referrer' }
}
