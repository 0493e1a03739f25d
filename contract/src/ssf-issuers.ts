import Type, { type Static } from 'typebox'
import { Nullable, Text, Timestamp } from './schema-kit.ts'

import { JsonWebKeySet } from './ssf-discovery.ts'

const settings = {
  iss: Text('Issuer of the tokens.', { format: 'uri' }),
  jwks_uri: Text('Where the public keys are.', { format: 'uri' }),
  aud: Nullable(Text('Who the tokens are for; null for poll streams that were made with the legacy body.')),
}

const example = {
  iss: 'https://muster.example.com',
  jwks_uri: 'https://muster.example.com/ssf/jwks.json',
  aud: 'https://acme.okta.example',
}

export const SsfStreamIssuer = Type.Object(
  {
    present: Type.Object(settings, { description: 'What the receiver verifies tokens with now.' }),
    next: Nullable(
      Type.Object(settings, {
        description: 'What it verifies tokens with after a move; null where there is nothing to move to.',
      }),
    ),
    former: Nullable(
      Type.Object(
        { ...settings, verified_until: Timestamp('How long the keys of before stay published.') },
        { description: 'What events that were queued before the latest move are verified with.' },
      ),
    ),
    keys: JsonWebKeySet.properties.keys,
  },
  {
    title: 'SsfStreamIssuer',
    description: 'An addition: what the receiver of a stream is set up with.',
    examples: [
      {
        present: example,
        next: { ...example, iss: 'https://acme.example.com', jwks_uri: 'https://acme.example.com/ssf/jwks.json' },
        former: null,
        keys: [
          { kty: 'RSA', kid: '0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2', use: 'sig', alg: 'RS256', n: '3F6…', e: 'AQAB' },
        ],
      },
    ],
  },
)
export type SsfStreamIssuer = Static<typeof SsfStreamIssuer>
