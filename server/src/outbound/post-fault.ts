/** Why there is no answer. `refused` stands for every address that may not be reached. */
export type PostFault = 'refused' | 'dns' | 'connection' | 'tls' | 'timeout' | 'aborted'

const messages: Record<PostFault, string> = {
  refused: 'The host is not publicly reachable',
  dns: 'The host has no address',
  connection: 'The connection could not be made, or broke',
  tls: 'No secure connection could be made: see the certificate and the TLS version of the receiver',
  timeout: 'The receiver did not answer in time',
  aborted: 'The attempt was given up',
}

type Ending = { signal: AbortSignal /** By the deadline, and not by the caller. */; isLate: boolean }

export function describeFault(error: unknown, ending: Ending): { fault: PostFault; message: string } {
  const fault = faultOf(error, ending)
  return { fault, message: messages[fault] }
}

function faultOf(error: unknown, { signal, isLate }: Ending): PostFault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ADDRESS_REFUSED') return 'refused'
  if (code === 'NAME_UNRESOLVED') return 'dns'
  if (isLate || code === 'CONNECT_TIMEOUT') return 'timeout'
  if (signal.aborted) return 'aborted'
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_|EPROTO)/.test(code)) return 'tls'
  return 'connection'
}
