import type { IncomingHttpHeaders } from 'node:http'
import { apiVersions, latestVersion } from '@muster/contract/versions.ts'
import { ServiceError } from '../base/errors.ts'

const versionHeader = 'x-service-api-version'

/** What the request asks for, known to us or not; the latest when it names none. `aliases` are in lower case. */
export function requestedVersion(headers: IncomingHttpHeaders, aliases: readonly string[]): string {
  const own = headers[versionHeader]
  if (own) return String(own)
  for (const alias of aliases) {
    const value = headers[alias]
    if (value) return String(value)
  }
  return latestVersion
}

/** The router's constraint by which each version's route is found. */
export function versionConstraint<Handler>(aliases: readonly string[]) {
  return {
    name: 'apiVersion',
    storage() {
      const handlers = new Map<string, Handler>()
      return {
        get: (version: string) => handlers.get(version) ?? null,
        set: (version: string, handler: Handler) => void handlers.set(version, handler),
      }
    },
    deriveConstraint: (request: { headers: IncomingHttpHeaders }) => requestedVersion(request.headers, aliases),
  }
}

/** Clients of v0 sent `/api/v0/…`, and some left out `/api`. */
const isOfV0 = (path: string): boolean => /^(?:\/api)?\/v0(?:\/|$)/.test(path)

/** Why no route was found: the version, or the path. */
export function unmatchedRequest(path: string, headers: IncomingHttpHeaders, aliases: readonly string[]): ServiceError {
  const version = requestedVersion(headers, aliases)
  if (version === 'v0' || isOfV0(path)) return new ServiceError('api_version_gone')
  if (apiVersions.some((known) => known === version)) {
    return new ServiceError('not_found', { message: `There is nothing at this address in version ${version}.` })
  }
  return new ServiceError('unknown_api_version', {
    message: `This API version does not exist; supported are ${apiVersions.join(' and ')}.`,
  })
}
