import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { FieldFaults } from './field-faults.ts'

/** What is wrong with a field, by its name; undefined where nothing is. */
export type Faults = Readonly<Record<string, string | undefined>>

const none: Faults = {}

export const blank = 'must not be blank'

/**
 * A form that says itself what is wrong, instead of the browser: at every field at once, with the focus on the first. What the
 * server refuses stands there as well. Fields have names, and a field that is changed is not called wrong until it is sent again.
 */
export function useCheckedForm({
  error,
  faultOf: refusedOf,
}: { readonly error: Error | null } & Pick<FieldFaults, 'faultOf'>) {
  const ref = useRef<HTMLFormElement>(null)
  const [found, setFound] = useState(none)
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const faultOf = (field: string): string | undefined => {
    const refused = refusedOf(field)
    if (changed.has(field)) return undefined
    return found !== none ? found[field] : refused
  }
  useEffect(() => {
    if (found !== none || error) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [found, error])
  const onInput = ({ target }: FormEvent<HTMLFormElement>) => {
    const name = target instanceof HTMLInputElement ? target.name : ''
    if (name !== '' && !changed.has(name)) setChanged(new Set([...changed, name]))
  }
  return {
    form: { ref, onInput, noValidate: true },
    faultOf,
    /** Whether nothing is wrong, so that the form may be sent. */
    isFine: (faults: Faults): boolean => {
      const isFine = Object.values(faults).every((fault) => fault === undefined)
      setFound(isFine ? none : faults)
      setChanged(new Set())
      return isFine
    },
  }
}
