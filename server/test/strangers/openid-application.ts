import { exportJWK, type GenerateKeyPairResult, generateKeyPair } from 'jose'
import * as client from 'openid-client'

export type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

/** What an application keeps of a request that it has sent. */
export type Pending = {
  address: string
  checks: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string; maxAge?: number }
}

type Registered = { clientId: string; clientSecret?: string | undefined }
export type RequestKeys = { keys: GenerateKeyPairResult; jwk: Record<string, string> }

/** Keys that an application signs its requests with, and the public half as a connection takes it. */
export async function requestKeys(kid = 'application'): Promise<RequestKeys> {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const { kty, n, e } = await exportJWK(keys.publicKey)
  return { keys, jwk: { kty: String(kty), n: String(n), e: String(e), kid, alg: 'RS256', use: 'sig' } }
}

/** By which its clock is ahead of this machine's, and so further ahead of the server's. */
const aheadSeconds = 1

/**
 * An application that is a client by openid-client, found by discovery. It verifies ID tokens by the key set as well, and
 * signs its requests where it is given keys.
 */
export async function openApplication(
  issuer: string,
  { clientId, clientSecret }: Registered,
  { redirectUri, signing }: { redirectUri: string; signing?: RequestKeys | undefined },
) {
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret)
  const config = await client.discovery(
    new URL(issuer),
    clientId,
    { [client.clockSkew]: aheadSeconds },
    authentication,
    {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    },
  )

  /** The address that the application sends a browser to. */
  async function request(more: Record<string, string> = {}, signedBy = signing): Promise<Pending> {
    const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()]
    const expectedNonce = client.randomNonce()
    const parameters = {
      ...{ redirect_uri: redirectUri, scope: 'openid', state: expectedState, nonce: expectedNonce },
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      ...{ code_challenge_method: 'S256', ...more },
    }
    const url = signedBy
      ? await client.buildAuthorizationUrlWithJAR(config, parameters, {
          key: signedBy.keys.privateKey,
          kid: signedBy.jwk['kid'] ?? '',
        })
      : client.buildAuthorizationUrl(config, parameters)
    const maxAge = more['max_age'] === undefined ? {} : { maxAge: Number(more['max_age']) }
    return { address: url.href, checks: { pkceCodeVerifier, expectedState, expectedNonce, ...maxAge } }
  }

  const take = (answer: URL, checks: Pending['checks']): Promise<Tokens> =>
    client.authorizationCodeGrant(config, answer, { ...checks, idTokenExpected: true })

  return { config, redirectUri, request, take }
}
