import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** What packages of this installation tell devices of it. */
export type PackageSite = {
  /** Origin without a trailing slash. */
  baseUrl: string
  /** PEM of the authority behind the server's certificate; null where systems trust it already. */
  caCertificate: string | null
  productVersion: string
}

type SiteSettings = { baseUrl: string; tlsCaFile: string | undefined }

const pemBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** Rejects where the file of the authority cannot be read or holds no certificate. */
export async function openPackageSite({ baseUrl, tlsCaFile }: SiteSettings): Promise<PackageSite> {
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  const caCertificate = tlsCaFile === undefined ? null : await readCertificates(tlsCaFile)
  return { baseUrl, caCertificate, productVersion: String(version) }
}

/** The certificates alone: a file may hold a private key beside them, which must not reach a device. */
async function readCertificates(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`MUSTER_TLS_CA_FILE: ${error.message}`, { cause: error })
  })
  const blocks = text.match(pemBlock) ?? []
  if (blocks.length === 0) throw new Error(`MUSTER_TLS_CA_FILE: ${file} holds no certificate`)
  return blocks.map((block) => new X509Certificate(block).toString()).join('')
}
