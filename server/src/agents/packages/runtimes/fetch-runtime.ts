import { fail } from '../../../base/errors.ts'
import { guardedDownload } from '../../../base/outbound/guarded-download.ts'
import { codeOf } from '../../../base/relying-party/oidc-failure.ts'
import type { PinnedRuntime } from './pinned-runtimes.ts'

export const publicRegistry = 'https://registry.npmjs.org'

type Fetching = {
  pinned: PinnedRuntime
  /** Of npm, or a mirror of it: an address without a slash at its end. */
  registry: string
  /** A new file. */
  to: string
  signal: AbortSignal
  /** Is told how many bytes have come so far. */
  onBytes: (bytes: number) => void
}

/** Where npm's registry and its mirrors have the tarball of a package. */
export const tarballUrl = ({ package: name, version }: PinnedRuntime, registry: string): string =>
  `${registry}/${name}/-/${name}-${version}.tgz`

/** Fetches the tarball of a package, which is exactly what the table says, or fails in a sentence with `unavailable`. */
export async function fetchRuntime({ pinned, registry, to, signal, onBytes }: Fetching): Promise<void> {
  const url = tarballUrl(pinned, registry)
  const refuse = (why: string, cause?: unknown) => fail('unavailable', { message: `${url} ${why}. ${otherWay}`, cause })
  const maxBytes = pinned.size
  const answer = await guardedDownload({ url, to, maxBytes, signal, onBytes }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (error instanceof Error && 'syscall' in error && error.syscall === 'write') throw error
    return refuse(`did not answer with the package: ${reasonOf(error)}`, error)
  })
  const { status, location, sha512 } = answer
  if (status >= 300 && status < 400 && location !== undefined)
    refuse(`leads to ${location}: give a registry that has the package itself`)
  if (status !== 200) refuse(`answered ${status}`)
  if (`sha512-${sha512}` !== pinned.integrity) refuse('is not the package that this version of Muster knows')
}

const otherWay = 'Give --registry <url> of a mirror, or a file and its --sha256.'

const reasons: Readonly<Record<string, string>> = {
  NAME_UNRESOLVED: 'its host has no address',
  ECONNREFUSED: 'nothing listens there',
  CONNECT_TIMEOUT: 'the connection took too long',
  UND_ERR_HEADERS_TIMEOUT: 'it was silent for a minute',
  UND_ERR_BODY_TIMEOUT: 'it was silent for a minute',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'it sent more than the package has',
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return (code === undefined ? undefined : reasons[code]) ?? (error instanceof Error ? error.message : String(error))
}
