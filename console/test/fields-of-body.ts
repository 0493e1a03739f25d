type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

type Operation = { readonly method: string; readonly path: string; readonly body?: unknown }

/** Every field that a 422 of an operation may name, with the first and the second of each list. */
export const fieldsOfBody = ({ body }: Operation): string[] => [...new Set(below((body ?? {}) as Schema, ''))]

function below(schema: Schema, at: string): string[] {
  const named = (name: string) => (at === '' ? name : `${at}/${name}`)
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => [
    named(name),
    ...below(of, named(name)),
  ])
  const items = schema.items
    ? ['0', '1'].flatMap((place) => [named(place), ...below(schema.items ?? {}, named(place))])
    : []
  return [...fields, ...items, ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => below(one, at))]
}
