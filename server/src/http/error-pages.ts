import type { FastifyRequest } from 'fastify'
import type { ServiceError } from '../base/errors.ts'
import { whoReads } from './console-address.ts'

/** How errors look to people at an address and whatever is below it. */
export type ErrorPage = {
  /** As `/signin`. */
  address: string
  draw: (refusal: ServiceError, status: number, isForm: boolean) => { headers: Record<string, string>; body: string }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Features add theirs; errors elsewhere are JSON. */
    readonly errorPages: ErrorPage[]
  }
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** The page that answers a request with an error, where a person sees the answer; undefined where a program reads it. */
export function drawErrorPage(
  pages: readonly ErrorPage[],
  request: FastifyRequest,
  refusal: ServiceError,
  status: number,
): ReturnType<ErrorPage['draw']> | undefined {
  const [path = ''] = request.url.split('?', 1)
  const page = pages.find(({ address }) => path === address || path.startsWith(`${address}/`))
  if (!page) return undefined
  // Who prefers nothing is a person where the address was opened, and a program where something was sent to it.
  const reader = whoReads(request.headers) ?? (isRead(request) ? 'person' : 'program')
  return reader === 'person' ? page.draw(refusal, status, !isRead(request)) : undefined
}
