import Type, { type Static } from 'typebox'
import { Text } from './schema-kit.ts'

export const JsonWebKeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          kty: Text('Type of the key: `RSA`.'),
          kid: Text('Name of the key, which the header of a token repeats.'),
          use: Text('What the key is for: `sig`.'),
          alg: Text('How it signs: `RS256`.'),
          n: Text('Modulus, in base64url.'),
          e: Text('Exponent, in base64url.'),
        },
        { description: 'A public key.' },
      ),
      { description: 'Every key that a token on its way may be signed with, and those that will sign soon.' },
    ),
  },
  {
    title: 'JsonWebKeySet',
    description: 'Public keys that verify event tokens (RFC 7517).',
    examples: [
      {
        keys: [
          { kty: 'RSA', kid: '0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2', use: 'sig', alg: 'RS256', n: '3F6…', e: 'AQAB' },
        ],
      },
    ],
  },
)
export type JsonWebKeySet = Static<typeof JsonWebKeySet>
