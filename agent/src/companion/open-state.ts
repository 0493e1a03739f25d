import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import { type CompanionState, readState, writeState } from './companion-state.ts'
import { addressOf } from './signed-requests.ts'

/** Reads the state, or makes a key and writes it. A file of another server is replaced: its key is nobody else's. */
export async function openState(file: string, server: string): Promise<CompanionState> {
  const known = await readState(file)
  return known?.server === server ? known : newState(file, server)
}

/** Makes a key and writes it; `predecessor` signs for it, so that the registration of the device stays. */
export async function newState(file: string, server: string, predecessor?: CompanionState): Promise<CompanionState> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const privateJwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(privateJwk)
  const replaces = predecessor && (await vouchFor(predecessor, kid))
  const made = { server, kid, privateJwk, trust: undefined, ...(replaces !== undefined && { replaces }) }
  await writeState(file, made)
  return made
}

/** The statement of a key that the key of this thumbprint takes its place (docs/companion-protocol.md): a compact JWS. */
export async function vouchFor({ server, kid, privateJwk }: CompanionState, newKid: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const statement = { iss: kid, sub: newKid, aud: addressOf(server, 'enroll'), iat }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(statement)))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-companion-key+jwt', kid })
    .sign(await importJWK(privateJwk, 'ES256'))
}
