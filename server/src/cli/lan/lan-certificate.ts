import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { dayMs, hourMs } from '../../base/time.ts'
import type { LanNames } from './lan-names.ts'

export type LanCertificate = {
  /** The certificate, followed by its authority. */
  certFile: string
  keyFile: string
  /** What agents are given to trust. */
  caFile: string
}

/** How its files, and its authority, are called. */
type Purpose = { prefix: string; title: string }

type Pair = { certificate: X509Certificate; cert: string; key: string }

const authorityDays = 3650
/** The most that Apple's systems accept is 398. */
const certificateDays = 397
const renewBeforeDays = 30

/**
 * The certificate with which a trial serves a local network, made in the data folder and used again while it is valid
 * and fits. An authority of our own signs it, so that a new address of this machine needs nothing new on the agents.
 */
export async function openLanCertificate(
  dataDir: string,
  names: LanNames,
  now: string,
  { prefix, title }: Purpose = { prefix: 'lan', title: 'Muster local network' },
): Promise<LanCertificate> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const nowMs = Date.parse(now)
  const authorityFiles = { cert: join(dataDir, `${prefix}-ca.pem`), key: join(dataDir, `${prefix}-ca.key`) }
  const files = { cert: join(dataDir, `${prefix}.pem`), key: join(dataDir, `${prefix}.key`) }
  let authority = await readPair(authorityFiles)
  if (!authority || !isValid(authority.certificate, nowMs)) {
    authority = await writePair(authorityFiles, await makeAuthority(title, nowMs))
  }
  const found = await readPair(files)
  if (!found || !isValid(found.certificate, nowMs) || !fits(found.certificate, authority.certificate, names)) {
    const { cert, key } = await makeCertificate(authority, names, nowMs)
    await writePair(files, { cert: cert + authority.cert, key })
  }
  return { certFile: files.cert, keyFile: files.key, caFile: authorityFiles.cert }
}

async function makeAuthority(title: string, nowMs: number): Promise<{ cert: string; key: string }> {
  // Its own name, so that authorities of two installations are not taken for one another.
  const commonName = `${title} ${randomBytes(4).toString('hex')}`
  const made = await generate([{ name: 'commonName', value: commonName }], {
    ...common(nowMs, authorityDays),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { cert: lineEnded(made.cert), key: lineEnded(made.private) }
}

async function makeCertificate(
  authority: Pair,
  names: LanNames,
  nowMs: number,
): Promise<{ cert: string; key: string }> {
  const altNames = [
    ...names.hosts.map((value) => ({ type: 2 as const, value })),
    ...names.addresses.map((ip) => ({ type: 7 as const, ip })),
  ]
  const made = await generate([{ name: 'commonName', value: names.hosts[0] ?? 'localhost' }], {
    ...common(nowMs, certificateDays),
    ca: authority,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  return { cert: lineEnded(made.cert), key: lineEnded(made.private) }
}

/** Begins an hour ago, for agents whose clocks are behind. */
const common = (nowMs: number, days: number) => ({
  keyType: 'ec' as const,
  curve: 'P-256' as const,
  algorithm: 'sha256',
  notBeforeDate: new Date(nowMs - hourMs),
  notAfterDate: new Date(nowMs - hourMs + days * dayMs),
})

const lineEnded = (pem: string) => `${pem.replaceAll('\r\n', '\n').trimEnd()}\n`

/** Undefined also for a pair that was written half. */
async function readPair(files: { cert: string; key: string }): Promise<Pair | undefined> {
  try {
    const [cert, key] = [await readFile(files.cert, 'utf8'), await readFile(files.key, 'utf8')]
    const certificate = new X509Certificate(cert)
    return certificate.checkPrivateKey(createPrivateKey(key)) ? { certificate, cert, key } : undefined
  } catch {
    return undefined
  }
}

async function writePair(files: { cert: string; key: string }, pair: { cert: string; key: string }): Promise<Pair> {
  await writeWhole(files.key, pair.key, 0o600)
  await writeWhole(files.cert, pair.cert, 0o644)
  return { ...pair, certificate: new X509Certificate(pair.cert) }
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, text, { mode, flag: 'wx' })
  await rename(draft, path)
}

function isValid(certificate: X509Certificate, nowMs: number): boolean {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  return from <= nowMs && nowMs < to - renewBeforeDays * dayMs
}

function fits(certificate: X509Certificate, authority: X509Certificate, { hosts, addresses }: LanNames): boolean {
  return (
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey) &&
    hosts.every((host) => certificate.checkHost(host) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  )
}
