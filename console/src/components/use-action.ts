import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type Changed, refresh } from '../api/query.ts'
import { ProofDeclined } from '../api/step-up.ts'
import { type FieldFaults, fieldFaults } from './field-faults.ts'
import { type Offer, toast } from './toasts.tsx'

type Parts<Given, Answer> = {
  readonly act: (given: Given) => Promise<Answer>
  /** What is read again afterwards. */
  readonly refresh?: readonly Changed[]
  /** What the toast says; nothing is said without. */
  readonly said?: (answer: Answer, given: Given) => string | undefined
  /** What takes it back, in the toast. */
  readonly undo?: (answer: Answer, given: Given) => Offer
  readonly onDone?: (answer: Answer, given: Given) => void
  /** The form shows what was refused; otherwise a toast does. */
  readonly hasForm?: boolean
  /** The queue in which it waits for what was asked before it. */
  readonly inTurn?: string
}

export type Action<Given, Answer = unknown> = UseMutationResult<Answer, Error, Given> & FieldFaults

/** A change that someone asks for: it is sent, said, and what it touches is read again. */
export function useAction<Given = void, Answer = unknown>(parts: Parts<Given, Answer>): Action<Given, Answer> {
  const mutation = useMutation<Answer, Error, Given>({
    mutationFn: parts.act,
    ...(parts.inTurn !== undefined && { mutationKey: [parts.inTurn], scope: { id: parts.inTurn } }),
    onSuccess: async (answer, given) => {
      const text = parts.said?.(answer, given)
      if (text !== undefined) toast(text, 'tick', parts.undo?.(answer, given))
      parts.onDone?.(answer, given)
      await refresh(...(parts.refresh ?? []))
    },
    onError: (error) => {
      if (!parts.hasForm && !(error instanceof ProofDeclined)) toast(error.message, 'cross')
    },
  })
  return { ...mutation, ...fieldFaults(mutation.error) }
}
