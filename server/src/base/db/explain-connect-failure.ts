/** Of OpenSSL by way of Node: no chain to an authority that is trusted. */
const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const guide = 'See "Connect to PostgreSQL" in docs/operating.md.'

/** The error with what to change in DATABASE_URL, where TLS or a pooler is why there is no connection; else as it is. */
export function explainConnectFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const hint = hintOf(code, error.message)
  return hint === undefined ? error : Object.assign(new Error(`${hint}. ${guide}`, { cause: error }), { code })
}

function hintOf(code: string, message: string): string | undefined {
  if (untrusted.has(code)) {
    return 'The certificate of the database is not from an authority that this machine trusts: add sslrootcert=/path/to/ca.pem to DATABASE_URL'
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'The certificate of the database is for another host name: use that name in DATABASE_URL'
  }
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of the database, or of its authority, has expired'
  if (message === 'The server does not support SSL connections') {
    return 'The database does not offer TLS: turn it on there, or leave sslmode out of DATABASE_URL'
  }
  if (/unsupported startup parameter/.test(message)) {
    return `${message}: the pooler in front of the database refuses a parameter of DATABASE_URL; leave it out, or name it in ignore_startup_parameters of the pooler`
  }
  return undefined
}
