/** Who opens an address of this server. */
export type AddressReader =
  /** A service on the internet, by its name. */
  | { readonly service: string }
  /** A program that may be anywhere. */
  | 'program'
  /** The browser of whoever signs in, sent by an identity provider that has the address as its redirect address. */
  | { readonly browserFrom: string | undefined }

const localHost = /^(localhost|.*\.localhost|127\..*|\[::1\])$/
const privateHost =
  /^(localhost|.*\.(localhost|local|internal)|127\..*|10\..*|192\.168\..*|169\.254\..*|172\.(1[6-9]|2\d|3[01])\..*|\[.*\]|[^.]+)$/

/** They take redirect addresses without https on `localhost` alone. */
const strictProviders = ['Google Workspace', 'Microsoft Entra']

/** What speaks against an address of this server for whoever is to open it; undefined where nothing does. */
export function addressDoubt(address: string, reader: AddressReader): string | undefined {
  const url = URL.parse(address)
  if (!url) return undefined
  if (reader === 'program') return programDoubt(url)
  return 'service' in reader ? serviceDoubt(url, reader.service) : browserDoubt(url, reader.browserFrom)
}

function serviceDoubt({ protocol, hostname, origin }: URL, name: string): string | undefined {
  if (protocol === 'https:' && !privateHost.test(hostname)) return undefined
  return `${name} cannot reach ${origin}. Set MUSTER_BASE_URL to a public https address first.`
}

function programDoubt({ protocol, hostname, origin }: URL): string | undefined {
  const next = 'Set MUSTER_BASE_URL to an https address that it reaches first.'
  if (localHost.test(hostname)) return `A program on another machine cannot reach ${origin}. ${next}`
  if (privateHost.test(hostname)) return `A program outside of your network cannot reach ${origin}. ${next}`
  return protocol === 'https:' ? undefined : `${origin} is not https, which many programs refuse. ${next}`
}

function browserDoubt({ protocol, hostname, origin }: URL, provider: string | undefined): string | undefined {
  if (localHost.test(hostname)) {
    return `Browsers on other machines cannot open ${origin}. Before others sign in, set MUSTER_BASE_URL to an address that they reach.`
  }
  if (protocol === 'https:' || provider === undefined || !strictProviders.includes(provider)) return undefined
  return `${provider} refuses redirect addresses without https. Set MUSTER_BASE_URL to an https address first.`
}
