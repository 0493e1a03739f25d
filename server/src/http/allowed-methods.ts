import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, RouteOptions } from 'fastify'
import findMyWay from 'find-my-way'
import { parametersOf } from './fixed-addresses.ts'
import { requestedVersion, versionConstraint } from './versions.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Makes the function that tells which methods the address of an unmatched request has, OPTIONS among them; none where
 * nothing is. `versionAliases` are the other names of the version header. Fastify's own router can be asked for a route
 * but not for an address, so its routes are added to another one when the first request goes astray.
 */
export function allowedMethodsFinder(app: FastifyInstance, versionAliases: readonly string[]) {
  let router: ReturnType<typeof routerOf> | undefined
  return (path: string, headers: IncomingHttpHeaders): string[] => {
    router ??= routerOf(app.routes, versionAliases)
    const constraints = { apiVersion: requestedVersion(headers, versionAliases) }
    const found = methods.flatMap((method) => {
      const match = router?.find(method, path, constraints)
      return match ? [{ method, parameters: Number(match.store) }] : []
    })
    if (found.length === 0) return []
    // An address without a parameter has its own methods, and none of one that takes any text there.
    const least = Math.min(...found.map(({ parameters }) => parameters))
    return [...found.filter(({ parameters }) => parameters === least).map(({ method }) => method), 'OPTIONS']
  }
}

function routerOf(routes: readonly RouteOptions[], versionAliases: readonly string[]) {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    constraints: { apiVersion: versionConstraint<findMyWay.Handler<findMyWay.HTTPVersion.V1>>(versionAliases) },
  })
  for (const { method, url, constraints, config } of routes) {
    if (config?.isFallback) continue
    const own = methods.filter((one) => [method].flat().includes(one))
    if (own.length > 0) router.on(own, url, { constraints: { ...constraints } }, () => {}, parametersOf(url))
  }
  return router
}
