import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hooks } from './muster-process.ts'

/** The address of a registry of npm that sends the beginning of every package and then nothing more. */
export async function hangingRegistry(hooks: Hooks, beginning: Buffer): Promise<string> {
  const server = createServer((_, response) => void response.write(beginning)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  hooks.after(async () => {
    server.close().closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
