import { fail } from '../base/errors.ts'

/** An address of an organization's own. `isEnded`: it has left it and is served there no more. */
export type OwnAddress = { organizationId: string; baseUrl: string; isEnded: boolean }

export type OwnAddressOf = (host: string) => Promise<OwnAddress | undefined>

export type AddressedCaller = {
  readonly organizationId: string
  readonly baseUrl: string | null
  readonly isAtOwnAddressOnly: boolean
}

/** Fails with unauthorized where the organization is not served at the host. */
export type RequireAddress = (host: string, caller: AddressedCaller) => Promise<void>

const heldForMs = 5_000
const maxHeld = 1_000

type Held = { address: OwnAddress | undefined; untilMs: number }

/**
 * Refuses a key at a host that is another organization's own, and, once its organization has ended its old addresses,
 * everywhere but at its own. Every other name of the service serves every key. Only a host that is neither
 * MUSTER_BASE_URL's nor the organization's own is looked up, and remembered for five seconds.
 */
export function addressGuard(ownAddressOf: OwnAddressOf, commonBaseUrl: string): RequireAddress {
  const common = new URL(commonBaseUrl).host
  const held = new Map<string, Held>()

  async function addressOf(host: string): Promise<OwnAddress | undefined> {
    const nowMs = performance.now()
    const known = held.get(host)
    if (known && nowMs < known.untilMs) return known.address
    const address = await ownAddressOf(host)
    if (held.size >= maxHeld) held.clear()
    held.set(host, { address, untilMs: nowMs + heldForMs })
    return address
  }

  return async (asked, { organizationId, baseUrl, isAtOwnAddressOnly }) => {
    const host = asked.toLowerCase()
    if (baseUrl !== null && isHostOf(host, baseUrl)) return
    if (isAtOwnAddressOnly) refuse(`The organization of this key is served at ${baseUrl} only.`)
    if (host === common) return
    const address = await addressOf(host)
    if (address && address.organizationId !== organizationId) {
      refuse(`This is the address of another organization: use ${baseUrl ?? commonBaseUrl}.`)
    }
  }
}

/** Whether a Host header, which may leave out or say the usual port, names the origin. */
function isHostOf(host: string, origin: string): boolean {
  const start = origin.indexOf('//') + 2
  if (origin.length - start === host.length && origin.endsWith(host)) return true
  return URL.parse(`${origin.slice(0, start)}${host}`)?.origin === origin
}

const refuse = (message: string): never => fail('unauthorized', { message })
