/**
 * What `email_verified` says (OpenID Connect Core §5.1); undefined where it is absent. Amazon Cognito, Apple and mappers of
 * Keycloak write the boolean as a text. Whatever else it is, it does not verify the address.
 */
export function readVerified(value: unknown): boolean | undefined {
  if (value === undefined) return undefined
  return value === true || value === 'true'
}
