import { useLayoutEffect, useState } from 'react'

/** What a form says beside its button: a text, or what `faultBeside` of its action gives once the fields are drawn. */
export type Beside = string | null | undefined | (() => string | undefined)

/** Why a form was refused, where that belongs to no field that it shows. */
export function FormFault({ error }: { readonly error: Beside }) {
  const said = useBeside(error)
  return <div role="alert">{said ? <p className="note blocked">{said}</p> : null}</div>
}

/** The same after what a form says in words of its own about a field that it does not show. */
export const besideAfter = (own: string | undefined, beside: () => string | undefined): Beside => {
  if (own === undefined) return beside
  return () => [own, beside()].filter((text) => text !== undefined).join(' ')
}

/** The text itself. It is read after every part of the form was drawn, wherever in the form it stands. */
export function useBeside(error: Beside): string | undefined {
  const [said, setSaid] = useState<string>()
  useLayoutEffect(() => setSaid((typeof error === 'function' ? error() : error) ?? undefined))
  return said
}
