import Type, { type Static } from 'typebox'
import { Text, Timestamp } from './schema-kit.ts'

const about = <Example>(title: string, description: string, example: Example) => ({
  title,
  description,
  examples: [example],
})

const example = {
  issuer: 'https://accounts.google.com',
  connection_name: 'Payroll',
  bound_at: '2026-11-20T10:00:00.000Z',
}

const Identity = Type.Object(
  {
    issuer: Text('The identity provider that has the account.'),
    connection_name: Text('Name of the connection that the person signed in through.'),
    bound_at: Timestamp('When the account was bound to the person: at its first sign-in.'),
  },
  about('PersonIdentity', 'An account at an identity provider that is a person’s for this connection.', example),
)

export const PersonIdentities = Type.Object(
  { data: Type.Array(Identity, { maxItems: 100, description: 'The accounts, the latest bound first.' }) },
  about('PersonIdentities', 'The accounts at identity providers that are a person’s.', { data: [example] }),
)
export type PersonIdentity = Static<typeof PersonIdentities>['data'][number]
