import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

type Route = Pick<RouteOptions, 'method' | 'url' | 'constraints'>

/** An address in one version, with the routes that it has. */
type Address<T extends Route> = { first: T; segments: string[]; parameters: number; methods: Set<string> }

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
  return alikeIn(routes).flatMap((alike) =>
    alike.flatMap((fixed) => {
      const around = alike.filter((other) => liesWithin(fixed, other))
      const taken = new Set(around.flatMap(({ methods }) => [...methods]))
      const methods = [...taken].filter((method) => !fixed.methods.has(method))
      return methods.length > 0 ? [{ route: fixed.first, methods }] : []
    }),
  )
}

/** The addresses, those of one version and length together: no others can be in each other's place. */
function alikeIn<T extends Route>(routes: readonly T[]): Address<T>[][] {
  const alike = new Map<string, Map<string, Address<T>>>()
  for (const route of routes) {
    const segments = route.url.split('/')
    const kind = `${route.constraints?.['apiVersion'] ?? ''} ${segments.length}`
    const addresses = alike.get(kind) ?? new Map<string, Address<T>>()
    alike.set(kind, addresses)
    const parameters = parametersOf(route.url)
    const address = addresses.get(route.url) ?? { first: route, segments, parameters, methods: new Set() }
    for (const method of [route.method].flat()) address.methods.add(method)
    addresses.set(route.url, address)
  }
  return [...alike.values()].map((addresses) => [...addresses.values()])
}

/** Whether every path of the one is a path of the other as well, and not the other way round. */
const liesWithin = (one: Address<Route>, other: Address<Route>): boolean =>
  one.parameters < other.parameters &&
  other.segments.every((segment, index) => segment.startsWith(':') || segment === one.segments[index])

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
