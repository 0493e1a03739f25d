import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { type CompanionState, readState, writeState } from './companion-state.ts'
import { vouchFor } from './vouch-for.ts'

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
