import { ApiError, type FieldFault } from '../api/api-error.ts'
import { ProofDeclined } from '../api/step-up.ts'
import { fieldInWords } from './field-in-words.ts'

export type FieldFaults = {
  /** What the server says of a field, after what the form says of it itself. A form asks while it draws the field. */
  readonly faultOf: (field: string, own?: string) => string | undefined
  /** The same of a field and of everything in it. */
  readonly faultIn: (field: string, own?: string) => string | undefined
  /** Why it was refused, but for what `faultOf` and `faultIn` gave. To be called once everything is drawn: see `FormFault`. */
  readonly faultBeside: () => string | undefined
}

/**
 * Divides what was refused between the fields of a form and its button: what no field was drawn with is said beside the button.
 * Of one drawing: the next has its own, as it may show other fields.
 */
export function fieldFaults(error: Error | null): FieldFaults {
  const faults = error instanceof ApiError ? error.faults : []
  const told = new Set<FieldFault>()
  const first = (isOf: (fault: FieldFault) => boolean, own: string | undefined): string | undefined => {
    const fault = faults.find(isOf)
    if (fault !== undefined) told.add(fault)
    return own ?? fault?.message
  }
  return {
    faultOf: (field, own) => first((fault) => fault.field === field, own),
    faultIn: (field, own) => first((fault) => fault.field === field || fault.field.startsWith(`${field}/`), own),
    faultBeside: () => {
      if (error === null || error instanceof ProofDeclined) return undefined
      if (faults.length === 0) return error.message
      const others = faults.filter((fault) => !told.has(fault))
      return others.length === 0 ? undefined : others.map(inWords).join('. ')
    },
  }
}

/** A message follows the name of its field, unless it is a sentence of its own. */
function inWords({ field, message }: FieldFault): string {
  const name = fieldInWords(field)
  const text = message.replace(/\.$/, '')
  return name === '' ? text : `${name}${/^[A-Z]/.test(text) ? ':' : ''} ${text}`
}
