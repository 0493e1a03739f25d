import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'

type Head = Pick<FastifyRequest, 'headers'>

/**
 * Refuses JSON whose bytes would not be read as their sender meant them: another charset, a content coding (RFC 9110 §8.4), or
 * bytes that are not UTF-8 (RFC 8259 §8.1). A decoder that replaces them would store names that nobody wrote.
 */
export function refuseOtherLetters(request: Head, bytes: Buffer): void {
  if (isEncoded(request)) {
    const coding = String(request.headers['content-encoding']).slice(0, 40)
    throw unsupported(`The body must be sent as it is, without Content-Encoding: ${coding}.`)
  }
  const charset = charsetOf(request)
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw unsupported(`The body must be UTF-8, and not in the charset ${charset.slice(0, 40)}.`)
  }
  if (!isUtf8(bytes)) {
    throw new ServiceError('malformed_json', {
      message: 'The body is not UTF-8. Encode it as UTF-8 before you send it.',
    })
  }
}

const unsupported = (message: string) => new ServiceError('unsupported_media_type', { message })

/** Whether the body has a content coding; `identity` is none. */
export const isEncoded = ({ headers }: Head): boolean =>
  !/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '')

function charsetOf({ headers }: Head): string | undefined {
  const type = headers['content-type'] ?? ''
  if (!/charset/i.test(type)) return undefined
  try {
    return new MIMEType(type).params.get('charset') ?? undefined
  } catch {
    // The framework has read the type, and who wrote the rest so is judged by the bytes.
    return undefined
  }
}

/**
 * Refuses a query string whose percent-encoded bytes are not UTF-8: the parser leaves such a value as it was written, and a
 * search for that finds nothing.
 */
export function refuseUndecodable({ url }: Pick<FastifyRequest, 'url'>): void {
  const start = url.indexOf('?')
  if (start < 0 || !url.includes('%', start)) return
  try {
    decodeURIComponent(url.slice(start))
  } catch {
    const message = 'The query string is not percent-encoded UTF-8. Encode its values, and a % itself as %25.'
    throw new ServiceError('malformed_request', { message })
  }
}
