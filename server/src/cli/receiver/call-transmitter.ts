import { CommandError, type ExitCode, exitCodes } from '../command-error.ts'
import { plainText } from '../table.ts'

type Call = {
  method: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  body?: object
  signal?: AbortSignal | undefined
}

/** A transmitter refused a call, or did not answer. */
export class TransmitterError extends CommandError {
  /** Whether the same call may well succeed later, and after how long at the earliest. */
  readonly isPassing: boolean
  readonly retryAfterMs: number

  constructor(message: string, fault: { exitCode: ExitCode; isPassing: boolean; retryAfterMs: number }) {
    super(fault.exitCode, message)
    this.isPassing = fault.isPassing
    this.retryAfterMs = fault.retryAfterMs
  }
}

/** Longer than any poll is held. */
const timeoutMs = 60_000
const shownCharacters = 500

/** Resolves to the answer's JSON, or to undefined when it has none. Rejects with a TransmitterError, or by `signal`. */
export async function callTransmitter(url: string, { method, headers, body, signal }: Call): Promise<unknown> {
  const limit = AbortSignal.timeout(timeoutMs)
  const [status, retryAfter, text] = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    ...(body && { body: JSON.stringify(body) }),
  })
    .then(async (answer) => [answer.status, answer.headers.get('retry-after'), await answer.text()] as const)
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      throw unreachable(url, error)
    })
  if (status >= 200 && status < 300) return parse(text)
  const said = plainText(describe(text)).slice(0, shownCharacters)
  throw new TransmitterError(`${method} ${plainText(url)} was answered ${status}${said && `: ${said}`}`, {
    exitCode: status === 404 ? exitCodes.notFound : exitCodes.failure,
    isPassing: status === 429 || status >= 500,
    retryAfterMs: /^\d{1,4}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : 0,
  })
}

function unreachable(url: string, error: unknown): TransmitterError {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const reasons = cause instanceof AggregateError ? cause.errors : [cause]
  const why = reasons.map((one) => (one instanceof Error ? one.message : String(one))).join('; ')
  const isDistrusted = reasons.some(
    (one) => one instanceof Error && 'code' in one && ofCertificates.test(`${one.code}`),
  )
  const hint = isDistrusted ? '. Name the authority to trust with --ca' : ''
  const message = plainText(`${new URL(url).origin} cannot be reached: ${why}${hint}`)
  return new TransmitterError(message, { exitCode: exitCodes.failure, isPassing: !isDistrusted, retryAfterMs: 0 })
}

const ofCertificates = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The words of an error of Muster's API, or of OAuth's kind, or whatever there is. */
function describe(text: string): string {
  const body = parse(text)
  if (typeof body !== 'object' || body === null) return text
  const { message, errors, error_description: description } = body as Record<string, unknown>
  const faults = Array.isArray(errors) ? errors.map((one) => `${one?.field} ${one?.message}`) : []
  return [message ?? description ?? text, ...faults].map((part) => String(part).replace(/\.$/, '')).join('; ')
}
