/** A value as an application is given it. */
type Setting = string | boolean

/** How an application is set up to sign its people in at Muster. Tests give `settings` to the application itself. */
export type ApplicationSettings = {
  readonly name: string
  /** The version that was tried last. */
  readonly version: string
  /** By its own names; a dot stands between the names of a setting within another. */
  readonly settings: Readonly<Record<string, Setting>>
  /** What else there is to do, after the settings. */
  readonly besides?: string
  readonly knows: string
  /** What a person sees in it who was blocked and canceled the sign-in. */
  readonly afterCancel: string
  /** At every change of Muster by a test, or once by hand. */
  readonly tried: 'every change' | 'by hand'
}

const scope = 'openid profile email'

/** By the name under which tests look for it. */
export const applicationSettings = {
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
    name: 'Auth.js (`@auth/express`, Node.js)',
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
} as const satisfies Record<string, ApplicationSettings>

export type ApplicationName = keyof typeof applicationSettings
