/** The files with which managed computers let the page reach the agent without a question. */
export const browserPolicies = {
  'muster-chrome-edge-windows.reg': 'text/plain',
  'muster-chrome-edge.mobileconfig': 'application/x-apple-aspen-config',
  'muster-chrome-edge.json': 'application/json',
  'muster-firefox-policies.json': 'application/json',
  'muster-uwp-loopback.ps1': 'text/plain',
} as const

export type BrowserPolicy = keyof typeof browserPolicies

export const browserPolicyNames = Object.keys(browserPolicies) as BrowserPolicy[]

export const browserPolicyMediaTypes: string[] = [...new Set(Object.values(browserPolicies))]
