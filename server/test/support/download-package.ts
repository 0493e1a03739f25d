import http from 'node:http'
import { buffer } from 'node:stream/consumers'

type Downloaded = { status: number; etag: string | undefined; bytes: Buffer }

/** What a server of plain HTTP answers to someone who asks for the file of a package. */
export function downloadPackage({ origin }: { origin: string }, key: string, id: string): Promise<Downloaded> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    const asked = http.get(`${origin}/package_downloads/${id}`, { agent: false, headers }, (response) => {
      const { statusCode: status = 0, headers: answered } = response
      buffer(response).then((bytes) => resolve({ status, etag: answered.etag, bytes }), reject)
    })
    asked.on('error', reject)
  })
}
