import { inspect } from 'node:util'

const secretFields = new Set(['masterKey', 'metricsToken', 'apiKey', 'enrollSecret', 'adminPassword', 'clientSecret'])
const hidden = '[secret]'

/**
 * Makes an object that cannot spill its secrets by being logged or serialized whole.
 * The hooks are not enumerable: a spread copy is bare again.
 */
export function hideSecrets<T extends object>(target: T): Readonly<T> {
  const shown = { value: () => redact(target) }
  return Object.freeze(Object.defineProperties(target, { [inspect.custom]: shown, toJSON: shown }))
}

function redact(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redactField(name, value)]))
}

function redactField(name: string, value: unknown): unknown {
  if (value === undefined) return undefined
  if (secretFields.has(name)) return hidden
  if (name === 'databaseUrl') return withoutPassword(String(value))
  return isPlain(value) ? redact(value) : value
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
}

/** Passwords also travel as query parameters of a connection URL. */
function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  if (url.password) url.password = 'secret'
  for (const name of url.searchParams.keys()) {
    if (/password|passfile|sslkey/i.test(name)) url.searchParams.set(name, 'secret')
  }
  return url.href
}
