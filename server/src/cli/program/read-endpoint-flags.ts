import { readBytes } from './read-bytes.ts'

type Fields = { url?: string; events?: string[]; description?: string; headersFile?: string; headers?: boolean }

/** The fields of a webhook endpoint that the flags give. Values of headers are secrets, so they come from a file. */
export async function readEndpointFlags({ url, events, description, headersFile, headers }: Fields) {
  const { readHeaders } = await import('../webhooks/read-headers.ts')
  const read = headersFile === undefined ? undefined : readHeaders(String(await readBytes(headersFile)), headersFile)
  const custom = read ? Object.fromEntries(read) : headers === false ? {} : undefined
  return {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...(description !== undefined && { description }),
    ...(custom && { custom_headers: custom }),
  }
}
