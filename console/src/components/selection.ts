/** Rows that were chosen: some by themselves, or all that the filter finds but some. */
export type Selection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all'; readonly except: ReadonlySet<string> }

export const nothing: Selection = { kind: 'some', ids: new Set() }
export const everything: Selection = { kind: 'all', except: new Set() }

export const isChosen = (selection: Selection, id: string): boolean =>
  selection.kind === 'all' ? !selection.except.has(id) : selection.ids.has(id)

/** How many are chosen, of so many that the filter finds. */
export const sizeOf = (selection: Selection, total: number): number =>
  selection.kind === 'all' ? Math.max(total - selection.except.size, 0) : selection.ids.size

/** The rows with those identifiers are chosen from now on, or not anymore; the others stay as they are. */
export function choose(selection: Selection, ids: readonly string[], isOn: boolean): Selection {
  const named = new Set(selection.kind === 'all' ? selection.except : selection.ids)
  const isAdded = isOn === (selection.kind === 'some')
  for (const id of ids) isAdded ? named.add(id) : named.delete(id)
  return selection.kind === 'all' ? { kind: 'all', except: named } : { kind: 'some', ids: named }
}

/** From one row to another, whichever stands first. */
export function range(ids: readonly string[], from: string | undefined, to: string): readonly string[] {
  const [start, end] = [ids.indexOf(from ?? to), ids.indexOf(to)]
  if (start === -1 || end === -1) return [to]
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1)
}
