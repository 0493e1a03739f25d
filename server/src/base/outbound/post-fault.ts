import type { Ending } from './ending.ts'

/**
 * Why there is no answer. `unreachable` means a host without an address, or one whose address may not be
 * dialed: someone who could tell them apart could list the names of the inner network.
 */
export type PostFault = 'unreachable' | 'connection' | 'tls' | 'timeout' | 'aborted'

const messages: Record<PostFault, string> = {
  unreachable: 'The host could not be looked up, or has no public address',
  connection: 'The connection could not be made, or broke',
  tls: 'No secure connection could be made: see the certificate and the TLS version of the receiver',
  timeout: 'The receiver did not answer in time',
  aborted: 'The attempt was given up',
}

export function describeFault(error: unknown, ending: Ending): { fault: PostFault; message: string } {
  const fault = faultOf(error, ending)
  return { fault, message: messages[fault] }
}

function faultOf(error: unknown, { isOver, isLate }: Ending): PostFault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ADDRESS_REFUSED' || code === 'NAME_UNRESOLVED') return 'unreachable'
  if (isLate || code === 'CONNECT_TIMEOUT') return 'timeout'
  if (isOver) return 'aborted'
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_|EPROTO)/.test(code)) return 'tls'
  return 'connection'
}
