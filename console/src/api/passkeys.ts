import { request } from './request.ts'

type Answer = Readonly<Record<string, unknown>>

/** Has a passkey of the browser or of a key sign for who is there. */
export async function signByPasskey(): Promise<Answer> {
  const { options } = await request<{ options: PublicKeyCredentialRequestOptionsJSON }>('/session/passkey/options', {
    method: 'POST',
  })
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null)
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was used.')
  return { response: credential.toJSON() }
}

/** Makes a passkey in the browser or on a key. */
export async function makePasskey(): Promise<Answer> {
  const { options } = await request<{ options: PublicKeyCredentialCreationOptionsJSON }>('/session/passkeys/options', {
    method: 'POST',
  })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'InvalidStateError') {
      throw new Error('This device already has one of your passkeys.')
    }
    return null
  })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was created.')
  return { response: credential.toJSON() }
}
