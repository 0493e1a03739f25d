import { createHash } from 'node:crypto'
import type { BrowserPolicy } from '@muster/contract/browser-policies.ts'

/** Chrome and Edge from 146 on, and before. */
const chromiumPolicies = ['LoopbackNetworkAllowedForUrls', 'LocalNetworkAccessAllowedForUrls'] as const

/** App containers of Windows that show sign-in pages, and that reach 127.0.0.1 only by an exemption. */
const windowsBrokers = [
  'Microsoft.AAD.BrokerPlugin_cw5n1h2txyewy',
  'microsoft.windows.authhost.a_8wekyb3d8bbwe',
  'microsoft.windows.authhost.sso.c_8wekyb3d8bbwe',
  'microsoft.windows.authhost.sso.p_8wekyb3d8bbwe',
] as const

/** The text of a policy file for people who sign in at this address. */
export function browserPolicyOf(name: BrowserPolicy, address: string): string {
  const { origin, hostname } = new URL(address)
  return makers[name]({ origin, hostname })
}

type Place = { origin: string; hostname: string }

const makers: Readonly<Record<BrowserPolicy, (place: Place) => string>> = {
  'muster-chrome-edge-windows.reg': registryFile,
  'muster-chrome-edge.mobileconfig': configurationProfile,
  'muster-chrome-edge.json': ({ origin }) => json(Object.fromEntries(chromiumPolicies.map((name) => [name, [origin]]))),
  // Firefox compares hosts, whatever their port.
  'muster-firefox-policies.json': ({ hostname }) =>
    json({ policies: { LocalNetworkAccess: { Enabled: true, EnablePrompting: true, SkipDomains: [hostname] } } }),
  'muster-uwp-loopback.ps1': loopbackScript,
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function registryFile({ origin }: Place): string {
  const keys = ['Google\\Chrome', 'Microsoft\\Edge'].flatMap((browser) =>
    chromiumPolicies.map((policy) => `[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\${browser}\\${policy}]`),
  )
  const lines = ['Windows Registry Editor Version 5.00', '', ...keys.flatMap((key) => [key, `"1"="${origin}"`, ''])]
  return lines.join('\r\n')
}

/**
 * Apple's property list, with one payload for each browser; an origin has no character that XML would take for its own. The same address has the same identifiers, so that it
 * replaces itself.
 */
function configurationProfile({ origin }: Place): string {
  const payloads = ['com.google.Chrome', 'com.microsoft.Edge'].map((browser) => {
    const lists = chromiumPolicies.map((policy) => `<key>${policy}</key><array><string>${origin}</string></array>`)
    return `    <dict>
      ${headOf(browser, `${origin} ${browser}`)}
      ${lists.join('\n      ')}
    </dict>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
  <dict>
    ${headOf('Configuration', origin)}
    <key>PayloadDisplayName</key><string>Muster: browsers reach the agent</string>
    <key>PayloadScope</key><string>System</string>
    <key>PayloadContent</key><array>
${payloads.join('\n')}
    </array>
  </dict>
</plist>
`
}

function headOf(type: string, subject: string): string {
  const uuid = uuidOf(subject)
  return [
    `<key>PayloadType</key><string>${type}</string>`,
    '<key>PayloadVersion</key><integer>1</integer>',
    `<key>PayloadIdentifier</key><string>muster.browsers.${uuid}</string>`,
    `<key>PayloadUUID</key><string>${uuid}</string>`,
  ].join('')
}

function uuidOf(subject: string): string {
  const hex = createHash('sha256').update(subject).digest('hex').toUpperCase()
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

function loopbackScript({ origin }: Place): string {
  return [
    `# Lets the windows in which Windows and Microsoft 365 sign people in reach the Muster app: ${origin}`,
    '# Run it as an administrator, once for each computer. Remove an exemption with: CheckNetIsolation LoopbackExempt -d -n=<name>',
    "$ErrorActionPreference = 'Stop'",
    ...windowsBrokers.flatMap((name) => [
      `CheckNetIsolation LoopbackExempt -a -n="${name}"`,
      `if ($LASTEXITCODE -ne 0) { throw 'CheckNetIsolation refused ${name}' }`,
    ]),
    '',
  ].join('\r\n')
}
