import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30
const digits = 6
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 160 bits, as RFC 4226 §4 recommends. */
export const generateTotpSecret = (): Buffer => randomBytes(20)

/** RFC 6238 with SHA-1, the one form that every authenticator app knows. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0x0f
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** digits).padStart(digits, '0')
}

/** The time step whose code it is, of the present one and its neighbours (RFC 6238 §5.2); undefined for none. */
export function stepOfCode(secret: Buffer, code: string, now: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const present = Math.floor(Date.parse(now) / 1_000 / stepSeconds)
  const given = Buffer.from(code)
  return [present, present - 1, present + 1].find((step) => timingSafeEqual(given, Buffer.from(totpCode(secret, step))))
}

/** RFC 4648 §6, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)] ?? '').join('')
}

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: Buffer, { email, organization }: { email: string; organization: string }): string {
  const issuer = `Muster (${organization.replaceAll(':', ' ')})`
  const query = new URLSearchParams({ secret: base32(secret), issuer })
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?${query.toString().replaceAll('+', '%20')}`
}

/** Ten of 50 bits, in two groups of five letters. */
export const generateRecoveryCodes = (): string[] =>
  Array.from({ length: 10 }, () => {
    const text = base32(randomBytes(7)).slice(0, 10).toLowerCase()
    return `${text.slice(0, 5)}-${text.slice(5)}`
  })

/** As it was typed, with what people leave out or put in; undefined when it cannot be one. */
export function readRecoveryCode(text: string): string | undefined {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{10}$/.test(plain) ? `${plain.slice(0, 5)}-${plain.slice(5)}` : undefined
}
