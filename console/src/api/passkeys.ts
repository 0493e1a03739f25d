import { api } from './api.ts'

/** What the browser signed; only the server knows its form. */
type Answer = { readonly response: Readonly<Record<string, unknown>> }

/** Has a passkey of the browser or of a key sign for who is there. */
export async function signByPasskey(): Promise<Answer> {
  const { options } = await api('getPasskeyProofOptions')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null)
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was used.')
  return { response: { ...credential.toJSON() } }
}

/** Makes a passkey in the browser or on a key. */
export async function makePasskey(): Promise<Answer> {
  const { options } = await api('getPasskeyCreationOptions')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'InvalidStateError') {
      throw new Error('This device already has one of your passkeys.')
    }
    return null
  })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was created.')
  return { response: { ...credential.toJSON() } }
}
