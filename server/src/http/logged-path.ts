/** Words, record identifiers and UUIDs; every secret that Muster makes is longer, and a percent sign may hide anything. */
const plainPart = /^(?:[\w.~-]{0,24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The secret of a webhook endpoint is base64, whose slashes would make short parts of it. */
const fromEndpointSecret = /whsec_.*/s

/** The path of an address as it is logged: without the query, and without long parts that the route does not have itself. */
export function loggedPath(url: string, route = ''): string {
  const own = route.split('/')
  const [path = ''] = url.split('?', 1)
  const safe = path.replace(fromEndpointSecret, '[secret]')
  const parts = safe.split('/').map((part, place) => (part === own[place] || plainPart.test(part) ? part : '[secret]'))
  return parts.join('/')
}
