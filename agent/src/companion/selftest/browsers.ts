/** A browser: how it is found, and where an organization's policies for it lie. */
export type Browser = {
  name: string
  kind: 'chromium' | 'firefox' | 'safari'
  /** The identifier of its bundle on a Mac, which is also the domain of its policies. */
  bundle: string
  /** Programs of which one is there where it is installed on Linux. */
  programs: readonly string[]
  /** Folders of JSON files of policies on Linux, or the file of Firefox. */
  policies: readonly string[]
}

const chromium = (name: string, bundle: string, programs: readonly string[], folder: string): Browser => ({
  ...{ name, kind: 'chromium', bundle, programs, policies: [`${folder}/managed`] },
})

export const browsers: readonly Browser[] = [
  chromium(
    'Chrome',
    'com.google.Chrome',
    ['/usr/bin/google-chrome', '/opt/google/chrome/chrome'],
    '/etc/opt/chrome/policies',
  ),
  chromium(
    'Chromium',
    'org.chromium.Chromium',
    ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/snap/bin/chromium'],
    '/etc/chromium/policies',
  ),
  chromium(
    'Edge',
    'com.microsoft.edgemac',
    ['/usr/bin/microsoft-edge', '/opt/microsoft/msedge/msedge'],
    '/etc/opt/edge/policies',
  ),
  chromium('Brave', 'com.brave.Browser', ['/usr/bin/brave-browser', '/snap/bin/brave'], '/etc/brave/policies'),
  {
    name: 'Firefox',
    kind: 'firefox',
    bundle: 'org.mozilla.firefox',
    programs: ['/usr/bin/firefox', '/usr/bin/firefox-esr', '/snap/bin/firefox'],
    policies: ['/etc/firefox/policies/policies.json'],
  },
  { name: 'Safari', kind: 'safari', bundle: 'com.apple.Safari', programs: [], policies: [] },
]

/** What the policies of a browser say, as far as they concern programs on the same computer: lists by the name of the policy. */
export type Policies = Readonly<Record<string, readonly string[]>>

/** From 146 on, and before: docs/sign-in/managed-browsers.md. */
const allowing = ['LoopbackNetworkAllowedForUrls', 'LocalNetworkAccessAllowedForUrls']
const blocking = ['LoopbackNetworkBlockedForUrls', 'LocalNetworkAccessBlockedForUrls']
const skipping = 'SkipDomains'
export const policyNames: readonly string[] = [...allowing, ...blocking, skipping]

/** Whether pages of this origin reach the companion in this browser, in words; nothing of it is tried. */
export function reachOf(
  { kind }: Browser,
  policies: Policies,
  origin: string | undefined,
): { words: string; isBlocked: boolean } {
  const { hostname = '' } = origin === undefined ? {} : new URL(origin)
  const naming = (names: readonly string[]) =>
    names.filter((name) => policies[name]?.some((pattern) => matches(pattern, origin, hostname)))
  const given = policyNames.filter((name) => (policies[name] ?? []).length > 0)
  if (kind === 'safari')
    return { words: 'has no policy for it: tries, and else goes by its address bar', isBlocked: false }
  const blocked = naming(blocking)
  if (blocked.length > 0) return { words: `blocked by ${blocked.join(' and ')}`, isBlocked: true }
  const allowed = naming(kind === 'firefox' ? [skipping] : allowing)
  if (allowed.length > 0) return { words: `allowed by ${allowed.join(' and ')}: asks nobody`, isBlocked: false }
  const words =
    given.length === 0
      ? 'no policy: asks each person once'
      : `${given.join(' and ')} do not name this server: asks each person once`
  return { words, isBlocked: false }
}

/** A host for Firefox, an address or a pattern for the others: `*`, `https://host`, `[*.]host`. */
function matches(pattern: string, origin: string | undefined, hostname: string): boolean {
  if (pattern === '*' || pattern === hostname || pattern === origin) return true
  const [, above] = /^(?:https?:\/\/)?\[\*\.\](.+)$/.exec(pattern) ?? []
  return above !== undefined && (hostname === above || hostname.endsWith(`.${above}`))
}
