/** A local account with the people one of whose user names it is. */
export type Match<Person extends { readonly id: string }> = {
  readonly account: string
  readonly people: readonly Person[]
}

/** The only person whose account is logged in, with the account; undefined where that is nobody, or several. */
export function ownerOf<Person extends { readonly id: string }>(
  matches: readonly Match<Person>[],
): { readonly account: string; readonly person: Person } | undefined {
  const [first, ...others] = matches.flatMap(({ account, people }) => people.map((person) => ({ account, person })))
  return first && others.every(({ person }) => person.id === first.person.id) ? first : undefined
}
