/** A field that someone else changed while a form was open. */
export type OtherChange<Name> = {
  readonly field: Name
  /** Whether the form's user changed it as well: theirs stays in the form, beside the other's. */
  readonly isContested: boolean
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What a form holds, on what the record has become since `base`: what was typed stays, the rest is the record's. */
export function rebaseInput<Input extends object>(typed: Input, base: Input, now: Input) {
  const names = Object.keys(base) as (keyof Input)[]
  const others = names
    .filter((name) => !isSame(base[name], now[name]) && !isSame(typed[name], now[name]))
    .map((field) => ({ field, isContested: !isSame(typed[field], base[field]) }))
  const kept = names.filter((name) => !isSame(typed[name], base[name])).map((name) => [name, typed[name]])
  return { input: { ...now, ...Object.fromEntries(kept) } as Input, others }
}
