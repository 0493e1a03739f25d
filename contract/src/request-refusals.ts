type Words = {
  /** What the application has done: a sentence without its full stop. */
  readonly what: string
  /** What whoever sets it up does about it, in the same form. */
  readonly advice: string
}

/** Why a request of an application is refused, by code. Nothing here is what the request says itself: anyone may send one. */
export const requestRefusals = {
  pkce_missing: { what: 'The application sends no PKCE', advice: 'Turn PKCE on there, with the method S256' },
  pkce_method: {
    what: 'The application sends PKCE by another method than S256',
    advice: 'Select the method S256 there',
  },
  nonce_missing: {
    what: 'The application sends neither PKCE nor a nonce',
    advice: 'Turn on PKCE (S256) or the nonce there',
  },
  redirect_uri: {
    what: 'The application asks for the answer at a redirect address that is not registered',
    advice: 'Add the address that the application uses, exactly, to the redirect addresses of the connection',
  },
  response_type: {
    what: 'The application asks for another response type than code',
    advice: 'Select the authorization code flow there (response_type=code)',
  },
  response_mode: {
    what: 'The application asks for another response mode than query or form_post',
    advice: 'Select query or form_post there',
  },
  request_unsigned: {
    what: 'The request is not signed, and this connection has request keys',
    advice: 'Turn signed requests on there',
  },
  request_object: {
    what: 'The signed request was not accepted',
    advice: 'Check one with muster connections test --request <file>',
  },
  request_time: {
    what: 'The signed request is not of now, by this server’s clock: it is old, or the clock of the caller is wrong',
    advice: 'Set the clock there, by NTP: the error that the application got says by how much it differs',
  },
  request_replayed: {
    what: 'The signed request was used before',
    advice: 'Make a new one there, with a jti of its own, for each sign-in',
  },
  request_invalid: {
    what: 'A parameter of the request is missing, invalid or too long',
    advice: 'Read the error that the application got',
  },
  client_secret: {
    what: 'The application redeems its code with a wrong client secret, or without one',
    advice: 'Enter the client secret there again, or replace it',
  },
  code_verifier: {
    what: 'The application redeems its code without the PKCE verifier that belongs to it',
    advice: 'Finish a sign-in there in the session that began it',
  },
  code_redirect_uri: {
    what: 'The application redeems its code with another redirect address than it began with',
    advice: 'Use one redirect address there throughout',
  },
  code: {
    what: 'The application redeems a code that was used before, or has expired',
    advice: 'A code is good once, for a minute',
  },
  grant_type: {
    what: 'The application asks for tokens without a code',
    advice: 'There are no refresh tokens: the application keeps a session of its own',
  },
  post_logout_redirect_uri: {
    what: 'The application asks to send people to an address that is not registered after they sign out',
    advice: 'Add the address that the application uses, exactly, to the sign-out addresses of the connection',
  },
  entra_request: {
    what: 'Microsoft Entra names another client ID or answer address, or asks in another way',
    advice: 'Compare the client ID and the discovery endpoint of the external method, and the cloud of the connection',
  },
  entra_hint: {
    what: 'The id_token_hint of Microsoft Entra is not valid for this connection',
    advice: 'Compare the tenant ID and the application ID of the connection with those in Microsoft Entra',
  },
  entra_claims: {
    what: 'Microsoft Entra does not say which kinds of proof it accepts',
    advice: 'Check that the request comes from an external authentication method',
  },
  entra_keys: {
    what: 'The keys of Microsoft could not be read',
    advice: 'Let this server reach Microsoft’s sign-in addresses: see muster doctor',
  },
} as const satisfies Record<string, Words>

export type RequestRefusal = keyof typeof requestRefusals
export const requestRefusalNames = Object.keys(requestRefusals) as RequestRefusal[]

type LastTimes = { last_refusal: { refused_at: string } | null; last_sign_in_at: string | null }

/** Whether a request was refused, and nobody has got in since. */
export const isRefusalStanding = ({ last_refusal: refusal, last_sign_in_at: signedInAt }: LastTimes): boolean =>
  refusal !== null && (signedInAt === null || Date.parse(refusal.refused_at) > Date.parse(signedInAt))

/** Whether an administrator may let the application do without PKCE: it has a secret, and an upstream signs its people in. */
export const mayDoWithoutPkce = ({ kind, is_public: isPublic }: { kind: string; is_public: boolean }): boolean =>
  kind === 'application' && !isPublic
