import type { Changed } from '../api/query.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Member = { readonly id: string; readonly name: string }

type Parts = {
  readonly add: (id: string) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
  readonly refresh: readonly Changed[]
}

/** The button that takes a member out of its group at once; Undo puts it back. */
export function useTakeOut({ add, remove, refresh }: Parts) {
  const putBack = useAction<Member>({
    act: ({ id }) => add(id),
    refresh,
    said: (_answer, { name }) => `${name} is back in the group`,
  })
  const takeOut = useAction<Member>({
    act: ({ id }) => remove(id),
    refresh,
    said: (_answer, { name }) => `${name} removed from the group`,
    undo: (_answer, member) => ({ label: 'Undo', run: () => putBack.mutate(member) }),
  })
  return ({ id, name }: Member) => {
    const shown = visibleText(name)
    return (
      <button
        type="button"
        className="plain secondary"
        aria-label={`Remove ${shown}`}
        onClick={() => takeOut.mutate({ id, name: shown })}
      >
        Remove
      </button>
    )
  }
}
