import { useSyncExternalStore } from 'react'

type Waiting = { readonly resolve: () => void; readonly reject: (error: Error) => void }

/** Who did not prove who they are has not failed at anything: nothing is said. */
export class ProofDeclined extends Error {
  constructor() {
    super('Not confirmed.')
    this.name = 'ProofDeclined'
  }
}

const state: { waiting: readonly Waiting[] } = { waiting: [] }
const listeners = new Set<() => void>()

function change(waiting: readonly Waiting[]): void {
  state.waiting = waiting
  for (const tell of listeners) tell()
}

/** Opens the dialog that asks who someone is; rejects with ProofDeclined when it is closed. */
export const askForProof = (): Promise<void> =>
  new Promise((resolve, reject) => change([...state.waiting, { resolve, reject }]))

/** Lets everything continue that waits for the proof, or gives it up. */
export function endProof(isGiven: boolean): void {
  const { waiting } = state
  change([])
  for (const { resolve, reject } of waiting) {
    if (isGiven) resolve()
    else reject(new ProofDeclined())
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useIsProofWanted = (): boolean => useSyncExternalStore(subscribe, () => state.waiting.length > 0)
