import type { Config } from '../../base/config/load-config.ts'
import { isLoopbackHost } from '../../base/config/value-rules.ts'
import { type Finding, warning } from './finding.ts'

/** Whether anyone who reaches the port can pretend to be at another address. */
export function checkProxy({ trustProxy, host }: Pick<Config, 'trustProxy' | 'host'>): Finding[] {
  if (trustProxy !== true || isLoopbackHost(host)) return []
  return [
    warning(
      'proxy',
      `MUSTER_TRUST_PROXY is true and HOST is ${host}: anyone who reaches the port can forge the client address. Set MUSTER_TRUST_PROXY to the addresses of your proxy`,
    ),
  ]
}
