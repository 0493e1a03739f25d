import { useSyncExternalStore } from 'react'
import { Mark, type MarkName } from './state-shape.tsx'
import './toasts.css'

/** A button in a toast: "Undo", "Restore". */
export type Offer = { readonly label: string; readonly run: () => void }

type Toast = { readonly id: number; readonly mark: MarkName; readonly text: string; readonly offer: Offer | undefined }

const state: { shown: readonly Toast[]; next: number } = { shown: [], next: 1 }
const listeners = new Set<() => void>()

function show(shown: readonly Toast[]): void {
  state.shown = shown
  for (const tell of listeners) tell()
}

const hide = (id: number) => show(state.shown.filter((other) => other.id !== id))

/** Says for ten seconds what has happened, and offers to take it back. */
export function toast(text: string, mark: MarkName = 'tick', offer?: Offer): void {
  const id = state.next
  state.next += 1
  show([...state.shown.slice(-2), { id, mark, text, offer }])
  setTimeout(() => hide(id), 10_000)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => state.shown)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, mark, text, offer }) => (
        <div className="toast" key={id}>
          <Mark name={mark} />
          <span>{text}</span>
          {offer && (
            <button
              type="button"
              className="underlined toast-offer"
              onClick={() => {
                hide(id)
                offer.run()
              }}
            >
              {offer.label}
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
