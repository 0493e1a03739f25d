import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

type Route = Pick<RouteOptions, 'method' | 'url' | 'constraints'>

/** An address in one version, with the routes that it has. */
type Address<T extends Route> = { first: T; segments: string[]; methods: Set<string> }

/** Of a fixed address: what only the address with a parameter in its place has. */
export type ShadowedMethods<T extends Route> = { route: T; methods: string[] }

/** How many parts of the address take any text. */
export const parametersOf = (url: string): number => url.split('/').filter(isParameter).length

const isParameter = (segment: string): boolean => segment.startsWith(':') || segment === '*'

/**
 * The methods by which a request to a fixed address, such as `/ssf_streams/verify`, would be taken for one to an address
 * with a parameter in its place, such as `/ssf_streams/:streamId`. `route` is one of the fixed address.
 */
export function shadowedMethods<T extends Route>(routes: readonly T[]): ShadowedMethods<T>[] {
  const addresses = [...addressesOf(routes).values()]
  return addresses.flatMap((fixed) => {
    const around = addresses.filter((other) => liesWithin(fixed, other))
    const taken = new Set(around.flatMap(({ methods }) => [...methods]))
    const methods = [...taken].filter((method) => !fixed.methods.has(method))
    return methods.length > 0 ? [{ route: fixed.first, methods }] : []
  })
}

function addressesOf<T extends Route>(routes: readonly T[]): Map<string, Address<T>> {
  const addresses = new Map<string, Address<T>>()
  for (const route of routes) {
    const name = `${versionOf(route)} ${route.url}`
    const address = addresses.get(name) ?? { first: route, segments: route.url.split('/'), methods: new Set() }
    for (const method of [route.method].flat()) address.methods.add(method)
    addresses.set(name, address)
  }
  return addresses
}

const versionOf = ({ constraints }: Route): string => String(constraints?.['apiVersion'] ?? '')

/** Whether every path of the one is a path of the other as well, and not the other way round. */
function liesWithin(one: Address<Route>, other: Address<Route>): boolean {
  return (
    one.segments.length === other.segments.length &&
    versionOf(one.first) === versionOf(other.first) &&
    other.segments.every((segment, index) => segment === one.segments[index] || segment.startsWith(':')) &&
    parametersOf(one.first.url) < parametersOf(other.first.url)
  )
}

/** What is registered for them: it answers as for an address that nothing has. */
export const refuseMethod = (_request: FastifyRequest, reply: FastifyReply): void => reply.callNotFound()

/** Has the router know each fixed address as such, whatever the method. To be called once every other route is there. */
export function keepFixedAddresses(app: FastifyInstance): void {
  app.register((_scope, _options, done) => {
    for (const { route, methods } of shadowedMethods(app.routes)) {
      // In the scope of its neighbors, whose form its refusals have.
      const { scope, routePath: url, constraints } = route
      scope.route({
        method: methods,
        url,
        constraints: { ...constraints },
        exposeHeadRoute: false,
        handler: refuseMethod,
      })
    }
    done()
  })
}
