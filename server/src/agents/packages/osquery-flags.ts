export type OsquerySettings = {
  /** As a URL has it: host and port. */
  authority: string
  /** Where the files lie on the machine with the agent. Without an authority's, osquery trusts the bundle it comes with. */
  caFile: string | undefined
  enrollSecretFile: string
}

/**
 * The flag file with which a stock osqueryd enrolls here. Plain `--name=value` lines without quotes, since osquery on
 * Windows takes quotes for part of the value.
 */
export function osqueryFlags({ authority, caFile, enrollSecretFile }: OsquerySettings): string {
  const flags: Record<string, string | number | boolean> = {
    tls_hostname: authority,
    ...(caFile !== undefined && { tls_server_certs: caFile }),
    enroll_secret_path: enrollSecretFile,
    enroll_tls_endpoint: '/api/v1/osquery/enroll',
    // Never gives up, as a laptop may be away from this network for days.
    tls_enroll_max_attempts: 0,
    host_identifier: 'uuid',
    config_plugin: 'tls',
    config_tls_endpoint: '/api/v1/osquery/config',
    // osquery's own default is to ask once and never again.
    config_refresh: 300,
    config_accelerated_refresh: 60,
    logger_plugin: 'tls',
    logger_tls_endpoint: '/api/v1/osquery/log',
    logger_tls_period: 60,
    logger_tls_compress: true,
    logger_tls_max_lines: 32,
    logger_tls_max_linesize: 8_388_608,
    logger_min_status: 1,
    disable_distributed: false,
    distributed_plugin: 'tls',
    distributed_interval: 60,
    distributed_tls_read_endpoint: '/api/v1/osquery/distributed/read',
    distributed_tls_write_endpoint: '/api/v1/osquery/distributed/write',
    disable_carver: true,
    utc: true,
  }
  return Object.entries(flags)
    .map(([name, value]) => `--${name}=${value}\n`)
    .join('')
}
