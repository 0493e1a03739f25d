import { randomBytes } from 'node:crypto'
import { foldText } from '../../base/fold-text.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { isGoodNow } from '../../base/time.ts'

/**
 * The cookie of a browser in which someone has signed in before. It opens nothing: failed tries from such a browser are
 * counted apart from those of strangers, so that strangers cannot keep its owner out.
 *
 * Up to three entries, the latest first, of 36 bytes each as base64url: 16 that name the device, 4 with the second in
 * which it signed in, and 16 that sign both together with the e-mail address.
 */
const entryForm = /^[\w-]{48}$/
export const deviceCookieForm = /^[\w-]{48}(?:\.[\w-]{48}){0,2}$/

export const deviceLifetimeSeconds = 90 * 86_400

const idLength = 16
const contentLength = idLength + 4
const maxEntries = 3
const purpose = 'sign-in device'

/** The name of the device, if someone with this address has signed in there within the last 90 days. */
export function findKnownDevice(
  secrets: Secrets,
  { cookie, email, now }: { cookie: string | undefined; email: string; now: string },
): string | undefined {
  const entry = entriesOf(cookie).find((one) => isOf(secrets, one, email))
  if (!entry) return undefined
  const lifetimeMs = deviceLifetimeSeconds * 1_000
  if (!isGoodNow(entry.readUInt32BE(idLength) * 1_000 + lifetimeMs, lifetimeMs, Date.parse(now))) return undefined
  return entry.toString('base64url', 0, idLength)
}

/** The cookie's new value after someone has signed in; other people's entries stay. */
export function rememberDevice(
  secrets: Secrets,
  { cookie, email, now }: { cookie: string | undefined; email: string; now: string },
): string {
  const known = findKnownDevice(secrets, { cookie, email, now })
  const content = Buffer.alloc(contentLength)
  const id = known === undefined ? randomBytes(idLength) : Buffer.from(known, 'base64url')
  id.copy(content)
  content.writeUInt32BE(Math.floor(Date.parse(now) / 1_000), idLength)
  const entry = Buffer.concat([content, secrets.sign(purpose, signedText(content, email))])
  const others = entriesOf(cookie).filter((one) => !isOf(secrets, one, email))
  return [entry, ...others]
    .slice(0, maxEntries)
    .map((one) => one.toString('base64url'))
    .join('.')
}

const entriesOf = (cookie = ''): Buffer[] =>
  cookie
    .split('.')
    .filter((entry) => entryForm.test(entry))
    .map((entry) => Buffer.from(entry, 'base64url'))

const isOf = (secrets: Secrets, entry: Buffer, email: string): boolean =>
  secrets.verify(purpose, signedText(entry.subarray(0, contentLength), email), entry.subarray(contentLength))

const signedText = (content: Buffer, email: string): string =>
  JSON.stringify([content.toString('base64url'), foldText(email)])
