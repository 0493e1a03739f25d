/** A value as an application is given it. */
type Setting = string | boolean

/** How an application is set up to sign its people in at Muster. Tests give `settings` to the application itself. */
export type ApplicationSettings = {
  readonly name: string
  /** The version that was tried. */
  readonly version: string
  /** By its own names; a dot stands between the names of a setting within another. */
  readonly settings: Readonly<Record<string, Setting>>
  /** What else there is to know, after the settings. */
  readonly besides?: string
  readonly knows: string
  /** What a person sees in it who was blocked and canceled the sign-in. */
  readonly afterCancel: string
  /** By a test at every change of Muster, or by hand with this version of it. */
  readonly tried: 'every change' | 'by hand'
}

const scope = 'openid profile email'

/** By the name under which tests look for it. */
export const applicationSettings = {
  'openid-client': {
    name: 'openid-client (Node.js)',
    version: '6.8.9',
    settings: { code_challenge_method: 'S256', scope },
    besides: 'PKCE as its examples have it',
    knows: 'all claims, in the ID token and from `userinfo`',
    afterCancel: '`AuthorizationResponseError`, whose `error` is `access_denied`',
    tried: 'every change',
  },
  'express-openid-connect': {
    name: 'express-openid-connect (Node.js)',
    version: '3.4.0',
    settings: { 'authorizationParams.response_type': 'code', 'authorizationParams.scope': scope, idpLogout: true },
    besides: 'the client secret',
    knows: 'all claims, in the ID token',
    afterCancel: '400, “authorization response from the server is an error”',
    tried: 'every change',
  },
  'passport-openidconnect': {
    name: 'passport-openidconnect (Node.js)',
    version: '0.1.2',
    settings: { nonce: true, scope: 'profile email' },
    besides: 'it has no PKCE: [lift it](#without-pkce)',
    knows: 'user name, names and address',
    afterCancel: '`failureRedirect`, with the message “The sign-in was canceled, or has ended.”',
    tried: 'every change',
  },
  'Auth.js': {
    name: 'Auth.js, formerly next-auth (`@auth/express`, Node.js)',
    version: '0.12.3',
    settings: { type: 'oidc' },
    besides: 'it sends PKCE by itself',
    knows: 'name and address',
    afterCancel: 'its sign-in page, “Try signing in with a different account.”',
    tried: 'every change',
  },
  Authlib: {
    name: 'Authlib (Python, in Flask)',
    version: '1.9.10',
    settings: { 'client_kwargs.scope': scope, 'client_kwargs.code_challenge_method': 'S256' },
    knows: 'all claims, in the ID token and from `userinfo()`',
    afterCancel: '500, unless it catches `OAuthError`',
    tried: 'every change',
  },
  'mozilla-django-oidc': {
    name: 'mozilla-django-oidc (Python)',
    version: '5.0.2',
    settings: { OIDC_USE_PKCE: true, OIDC_RP_SIGN_ALGO: 'RS256', OIDC_RP_SCOPES: scope },
    knows: 'the address; the user name is its own hash of it',
    afterCancel: '`LOGIN_REDIRECT_URL_FAILURE`, without a reason',
    tried: 'every change',
  },
  mod_auth_openidc: {
    name: 'mod_auth_openidc (Apache)',
    version: '2.4.12',
    settings: { OIDCPKCEMethod: 'S256', OIDCScope: scope, OIDCCookieSameSite: 'On' },
    knows: 'all claims, as `OIDC_CLAIM_…` and in `Require claim`',
    afterCancel:
      'its error page, “Invalid Request … target_link_uri”: this version takes an error with `iss` (RFC 9207) for another request',
    tried: 'every change',
  },
  'oauth2-proxy': {
    name: 'oauth2-proxy (Go)',
    version: '7.15.6',
    settings: { '--provider': 'oidc', '--code-challenge-method': 'S256', '--scope': scope },
    knows: 'the address, and the opaque identifier as user',
    afterCancel: '“403 Forbidden”; “More Info” has the reason',
    tried: 'by hand',
  },
  Dex: {
    name: 'Dex, as the application (connector `oidc`)',
    version: '2.45, commit ab64ed77',
    settings: {},
    besides: 'nothing: it sends PKCE by itself, and asks for `openid profile email`',
    knows: 'name, user name, and address as verified',
    afterCancel:
      '“Authentication failed. Please contact your administrator or try again later.” The reason is in its log',
    tried: 'by hand',
  },
  Keycloak: {
    name: 'Keycloak, as the application',
    version: '26.7.3',
    settings: {},
    besides: 'see [below](#keycloak-as-the-application)',
    knows: 'user name, address, first and last name',
    afterCancel: 'its sign-in page, “Access denied when authenticating with Muster”',
    tried: 'by hand',
  },
  'Spring Security': {
    name: 'Spring Security (Java)',
    version: '7.0.6',
    settings: { 'spring.security.oauth2.client.registration.muster.scope': 'openid,profile,email' },
    besides: 'it sends PKCE by itself',
    knows: 'all claims; `getName()` is `sub`',
    afterCancel: 'its sign-in page, “Invalid credentials”',
    tried: 'by hand',
  },
} as const satisfies Record<string, ApplicationSettings>

export type ApplicationName = keyof typeof applicationSettings

const block = /(<!-- applications:start -->\n)[\s\S]*?(<!-- applications:end -->)/

/** A page of the documentation with its table of applications brought up to date; undefined where it has no block for it. */
export function withApplications(page: string): string | undefined {
  if (!block.test(page)) return undefined
  const head =
    '| application | tried | set | what it then knows | who is blocked and cancels sees |\n|---|---|---|---|---|'
  const rows = Object.values<ApplicationSettings>(applicationSettings).map((one) => {
    const set = Object.entries(one.settings).map(([name, value]) => `\`${name}\`: \`${value}\``)
    const settings = [...set, ...(one.besides === undefined ? [] : [one.besides])].join('; ')
    const tried = one.tried === 'every change' ? one.version : `${one.version}, by hand`
    return `| ${one.name} | ${tried} | ${settings} | ${one.knows} | ${one.afterCancel} |`
  })
  return page.replace(block, (_, start: string, end: string) => `${start}\n${[head, ...rows].join('\n')}\n\n${end}`)
}
