import { useRouterState } from '@tanstack/react-router'
import { Fragment, useSyncExternalStore } from 'react'
import { leftOutInWords } from './left-out.ts'
import './left-out-line.css'

type Told = { readonly path: string; readonly parts: readonly string[] }

const state: { told: Told | undefined } = { told: undefined }
const listeners = new Set<() => void>()

function tell(told: Told | undefined): void {
  state.told = told
  for (const listen of listeners) listen()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Of the address that led to the page at that path. */
export const tellLeftOut = (path: string, leftOut: readonly string[]): void =>
  tell({ path, parts: leftOutInWords(leftOut) })

/** The list begins at its beginning: the server does not know the place in it that the address names. */
export const tellLostPlace = (path: string): void =>
  tell({ path, parts: ['The position in the address is unknown. Showing the list from the start.'] })

/** Says, until the page is left, what of its address was left out. */
export function LeftOutLine() {
  const told = useSyncExternalStore(subscribe, () => state.told)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if (told?.path !== path) return null
  return (
    <div className="left-out" role="status">
      <span className="grow">
        {told.parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
          <Fragment key={index}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>
        ))}
      </span>
      <button type="button" className="plain underlined" onClick={() => tell(undefined)}>
        Dismiss
      </button>
    </div>
  )
}
