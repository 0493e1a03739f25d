import { useSyncExternalStore } from 'react'
import { Mark, type MarkName } from './state-shape.tsx'

type Toast = { readonly id: number; readonly mark: MarkName; readonly text: string }

const state: { shown: readonly Toast[]; next: number } = { shown: [], next: 1 }
const listeners = new Set<() => void>()

function show(shown: readonly Toast[]): void {
  state.shown = shown
  for (const tell of listeners) tell()
}

/** Says for ten seconds what has happened. */
export function toast(text: string, mark: MarkName = 'tick'): void {
  const id = state.next
  state.next += 1
  show([...state.shown.slice(-2), { id, mark, text }])
  setTimeout(() => show(state.shown.filter((other) => other.id !== id)), 10_000)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => state.shown)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, mark, text }) => (
        <div className="toast" key={id}>
          <Mark name={mark} />
          {text}
        </div>
      ))}
    </div>
  )
}
