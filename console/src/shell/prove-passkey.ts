import type { ConsoleSession } from '@muster/contract/console.ts'
import { request } from '../api/request.ts'

/** Proves by a passkey of the browser or of a key who is signed in. */
export async function provePasskey(): Promise<ConsoleSession> {
  const { options } = await request<{ options: PublicKeyCredentialRequestOptionsJSON }>('/session/passkey/options', {
    method: 'POST',
  })
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null)
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was used.')
  const body = { response: credential.toJSON() }
  return await request<ConsoleSession>('/session/passkey/step_up', { method: 'POST', body })
}
