import { isIP } from 'node:net'

/** What a passkey is bound to: it works for no other origin, so a page that looks alike gets nothing. */
export type PasskeySite = { rpId: string; origin: string }

/** Undefined where there can be no passkeys: at a bare IP address. */
export function passkeySite(baseUrl: string): PasskeySite | undefined {
  const { hostname, origin } = new URL(baseUrl)
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { rpId: hostname, origin } : undefined
}
