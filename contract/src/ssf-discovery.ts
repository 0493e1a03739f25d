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

const address = (description: string) => Text(description, { format: 'uri' })

export const SsfConfiguration = Type.Object(
  {
    spec_version: Text('The version of the Shared Signals Framework: `1_0`.'),
    issuer: address('Issuer of all tokens: the base address of the service.'),
    jwks_uri: address('Where the public keys are.'),
    delivery_methods_supported: Type.Array(Text('A method: pushed (RFC 8935) or polled (RFC 8936).'), {
      description: 'How events can be delivered.',
    }),
    events_supported: Type.Array(Text('The URI of a type of event.'), { description: 'What streams can report.' }),
    configuration_endpoint: address('Where streams are made, read, changed and deleted.'),
    status_endpoint: address('Where streams are turned on and off.'),
    verification_endpoint: address('Where a verification event is asked for.'),
    authorization_schemes: Type.Array(
      Type.Object({ spec_urn: Text('The specification of the scheme.') }, { description: 'A scheme.' }),
      { description: 'How requests prove who they are from: with a bearer token, which OAuth 2.0 can give.' },
    ),
    default_subjects: Text('`ALL`: a new stream covers everyone.'),
  },
  {
    title: 'SsfConfiguration',
    description: 'What a receiver needs to know about this transmitter (SSF 1.0 §7.1).',
    examples: [
      {
        spec_version: '1_0',
        issuer: 'https://muster.example.com',
        jwks_uri: 'https://muster.example.com/ssf/jwks.json',
        delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
        events_supported: [
          'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
          'https://schemas.openid.net/secevent/ssf/event-type/verification',
        ],
        configuration_endpoint: 'https://muster.example.com/ssf_streams',
        status_endpoint: 'https://muster.example.com/ssf_streams/status',
        verification_endpoint: 'https://muster.example.com/ssf_streams/verify',
        authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6750' }, { spec_urn: 'urn:ietf:rfc:6749' }],
        default_subjects: 'ALL',
      },
    ],
  },
)
export type SsfConfiguration = Static<typeof SsfConfiguration>
