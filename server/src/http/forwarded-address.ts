import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Config } from '../base/config/load-config.ts'
import { isAddress } from '../base/network-of.ts'

const header = 'x-forwarded-for'

type Parts = Pick<Config, 'trustProxy'> & {
  /** Called once: a trusted proxy has passed on what is no address. */
  warn: (facts: { header: string }, text: string) => void
}

/**
 * Reads where requests come from, behind the proxies that are trusted. Takes the ports off `X-Forwarded-For` first, which some
 * proxies write (`203.0.113.9:50123`, `[2001:db8::9]:1`): the framework reads `request.ip` from the same header, so call it
 * before the framework sees the request. A port would make each connection an address of its own.
 */
export function addressReader({ trustProxy, warn }: Parts): (message: IncomingMessage) => string {
  if (trustProxy === false) return ({ socket }) => socket.remoteAddress ?? ''
  const trust = trustProxy === true ? () => true : proxyAddr.compile(trustProxy)
  let isTold = false
  return (message) => {
    const given = message.headers[header]
    if (given === undefined) return message.socket.remoteAddress ?? ''
    message.headers[header] = String(given).split(',').map(withoutPort).join(', ')
    const address = proxyAddr(message, trust)
    if (!isTold && !isAddress(address)) {
      isTold = true
      warn(
        { header },
        'A proxy in MUSTER_TRUST_PROXY writes what is no IP address into X-Forwarded-For: limits by network cannot tell its clients apart',
      )
    }
    return address
  }
}

function withoutPort(entry: string): string {
  const text = entry.trim()
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? []
  return inBrackets ?? beforePort ?? text
}
