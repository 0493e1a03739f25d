import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { isWellFormedKey } from '../base/secrets/token-format.ts'
import { accessTokenSeconds, makeAccessToken, type Scope, scopes } from './access-tokens.ts'
import { oauthClients, tokenPath } from './oauth-metadata-routes.ts'
import { wholeText } from './whole-body.ts'

/** The errors of RFC 6749 §5.2 that a client may see here. */
type OauthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'

class OauthRefusal extends Error {
  override readonly name = 'OauthRefusal'
  readonly code: OauthError
  constructor(code: OauthError, description: string) {
    super(description)
    this.code = code
  }
}

/**
 * `POST /oauth/token`: an access token for an API key, by client credentials (RFC 6749 §4.4), as receivers of Shared
 * Signals expect it. The client is the key: its id, and the key itself as the secret. Stands apart from the API, whose
 * versions and errors it has not.
 */
export function addOauth(app: FastifyInstance): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', wholeText(readForm, 8_192))
    scope.addContentTypeParser('*', (_request, _payload, parsed) =>
      parsed(new OauthRefusal('invalid_request', 'The body must be application/x-www-form-urlencoded.')),
    )
    scope.setErrorHandler(answerError)
    scope.route({
      method: 'POST',
      url: tokenPath,
      config: { scheme: oauthClients, kind: 'form', origin: 'any' },
      handler: (request, reply) => grant(app, request, reply),
    })
    done()
  })
}

function readForm(text: string): URLSearchParams {
  const form = new URLSearchParams(text)
  const names = [...form.keys()]
  // RFC 6749 §3.2: a parameter must not be there twice.
  if (new Set(names).size < names.length) {
    throw new OauthRefusal('invalid_request', 'A parameter is there more than once.')
  }
  return form
}

async function grant({ kit }: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const grantType = form.get('grant_type')
  if (grantType === null) throw new OauthRefusal('invalid_request', 'grant_type is required.')
  const { id, secret } = clientOf(request.headers.authorization, form)
  const lookupHash = kit.secrets.lookupHash('api_key', secret)
  const principal = isWellFormedKey(secret) ? await kit.admitKey(reply, lookupHash) : undefined
  if (!principal || principal.keyId !== id) {
    throw new OauthRefusal('invalid_client', 'There is no such client: send the id of an API key, and the key.')
  }
  if (grantType !== 'client_credentials') {
    throw new OauthRefusal('unsupported_grant_type', 'grant_type must be client_credentials.')
  }
  if (!principal.permissions.has('manage_ssf_streams')) {
    throw new OauthRefusal('unauthorized_client', 'The key lacks the permission to manage streams.')
  }
  const granted = scopesOf(form.get('scope'))
  const endsAtMs = Date.parse(kit.clock()) + accessTokenSeconds * 1_000
  reply.header('cache-control', 'no-store')
  return {
    access_token: makeAccessToken(kit.secrets, { lookupHash, scopes: new Set(granted) }, endsAtMs),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    scope: granted.join(' '),
  }
}

type Client = { id: string; secret: string }

/** By HTTP Basic, whose parts are encoded as in a form, or in the form itself (RFC 6749 §2.3.1); not by both. */
function clientOf(header: string | undefined, form: URLSearchParams): Client {
  const basic = /^basic +([\w+/=-]+)$/i.exec(header ?? '')?.[1]
  if (basic !== undefined) {
    if (form.has('client_secret')) {
      throw new OauthRefusal('invalid_request', 'The client is named twice: in the header and in the body.')
    }
    const text = Buffer.from(basic, 'base64').toString('utf8')
    const [id = '', secret = ''] = text.split(/:(.*)/s, 2).map(decodeFormPart)
    return { id, secret }
  }
  return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' }
}

const decodeFormPart = (text: string): string => new URLSearchParams(`part=${text}`).get('part') ?? ''

function scopesOf(asked: string | null): Scope[] {
  if (asked === null) return [...scopes]
  const names = asked.split(' ').filter((name) => name !== '')
  const known = scopes.filter((scope) => names.includes(scope))
  if (names.length === 0 || !names.every((name) => scopes.some((scope) => scope === name))) {
    throw new OauthRefusal('invalid_scope', `The scopes are ${scopes.join(' and ')}.`)
  }
  return known
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply | never {
  reply.header('cache-control', 'no-store')
  if (error instanceof OauthRefusal) {
    const isClient = error.code === 'invalid_client'
    // RFC 6749 §5.2: where the client tried the header, the answer names its scheme.
    if (isClient && request.headers.authorization !== undefined)
      reply.header('www-authenticate', 'Basic realm="Muster"')
    return reply.code(isClient ? 401 : 400).send({ error: error.code, error_description: error.message })
  }
  // Limits and failures are answered as everywhere.
  throw error instanceof Error ? error : new ServiceError('internal', { cause: error })
}
