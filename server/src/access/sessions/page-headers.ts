import { pageHeaders } from '../../http/page/page-headers.ts'

/** With everything under `/console`: nothing of another origin runs, frames or learns where someone was. */
export const consoleHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  ...pageHeaders({
    ...{ 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self' data:", 'font-src': "'self'" },
    ...{ 'connect-src': "'self'", 'require-trusted-types-for': "'script'", forms: "'self'" },
  }),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
  ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
})
