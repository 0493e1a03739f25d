import { X509Certificate } from 'node:crypto'
import { columns, type Query, type Row, type Table, wantedValues } from '../tables/table.ts'
import { listDirectory, readText, statOf } from './read-files.ts'

const bundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem']
const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

export const certificates: Table = {
  name: 'certificates',
  columns: columns(`common_name subject subject2 issuer issuer2 ca:integer self_signed:integer not_valid_before:bigint
    not_valid_after:bigint signing_algorithm key_algorithm key_strength key_usage subject_key_id authority_key_id sha1
    path serial`),
  pushed: { path: 'equal' },
  *collect(constraints, query) {
    const found = bundles.find((path) => statOf(path))
    const paths = wantedValues(constraints, 'path') ?? (found ? [found] : [])
    for (const path of paths) yield* certificatesIn(path, query)
  },
}

function* certificatesIn(path: string, query: Query): Iterable<Row> {
  if (!path.startsWith('/')) return
  if (statOf(path)?.isDirectory()) {
    // A directory is read one level deep; SQLite keeps only the rows whose path is the one asked for.
    for (const name of listDirectory(path)) yield* fileCertificates(`${path}/${name}`, query, path)
  } else yield* fileCertificates(path, query, path)
}

function* fileCertificates(file: string, query: Query, path: string): Iterable<Row> {
  if (!statOf(file)?.isFile()) return
  for (const [text] of (readText(file) ?? '').matchAll(pem)) {
    query.remainingMs()
    const row = certificateRow(text)
    if (row) yield { ...row, path }
  }
}

/** The facts of one certificate in PEM, or undefined when OpenSSL cannot read it. */
function certificateRow(text: string): Row | undefined {
  try {
    const certificate = new X509Certificate(text)
    const oneLine = (name: string | undefined) => (name ?? '').split('\n').join(', ')
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
    return {
      common_name: /(?:^|\n)CN=([^\n]*)/.exec(certificate.subject ?? '')?.[1] ?? '',
      subject: oneLine(certificate.subject),
      subject2: oneLine(certificate.subject),
      issuer: oneLine(certificate.issuer),
      issuer2: oneLine(certificate.issuer),
      ca: certificate.ca ? 1 : 0,
      self_signed: certificate.checkIssued(certificate) ? 1 : 0,
      not_valid_before: Math.floor(Date.parse(certificate.validFrom) / 1000),
      not_valid_after: Math.floor(Date.parse(certificate.validTo) / 1000),
      key_algorithm: asymmetricKeyType ?? '',
      key_strength: String(asymmetricKeyDetails?.modulusLength ?? asymmetricKeyDetails?.namedCurve ?? ''),
      sha1: certificate.fingerprint.replaceAll(':', '').toLowerCase(),
      serial: certificate.serialNumber,
    }
  } catch {
    return undefined
  }
}
