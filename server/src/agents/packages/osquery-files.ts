import { osqueryFlags } from './osquery-flags.ts'

/** What a package tells the agent of one device. */
export type Enrollment = { baseUrl: string; caCertificate: string | null; secret: string }

export type ConfigFile = { name: string; isSecret: boolean; content: string }

const caName = 'server-ca.pem'
const secretName = 'enroll_secret'

/** The files that stock osquery needs; `pathOf` says where each lies on the device. */
export function osqueryFiles(
  { baseUrl, caCertificate, secret }: Enrollment,
  pathOf: (name: string) => string,
): ConfigFile[] {
  const flags = osqueryFlags({
    authority: new URL(baseUrl).host,
    caFile: caCertificate === null ? undefined : pathOf(caName),
    enrollSecretFile: pathOf(secretName),
  })
  return [
    { name: 'osquery.flags', isSecret: false, content: flags },
    ...(caCertificate === null ? [] : [{ name: caName, isSecret: false, content: caCertificate }]),
    { name: secretName, isSecret: true, content: secret },
  ]
}
